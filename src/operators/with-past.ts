import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Observable, Subscription, type Subscriber } from 'rxjs'
import { openLive$ } from '../domain/joinable.js'
import type { CaughtUp, PastEvent, PastPrice } from '../domain/past.js'
import type { Price } from '../domain/price.js'
import { networkError, timeout } from '../errors/constructors.js'
import type { HistoryError } from '../errors/model.js'
import { timerOption } from '../option-kinds/number-option.js'
import type { OptionTable } from '../option-kinds/option.js'
import { parseOptions } from '../option-kinds/parse-options.js'
import { delay } from '../time/deadline.js'
import { rxClock } from '../time/rx-clock.js'
import { continuedPast$, LiveStart } from './continued-past.js'
import type { EitherOperator } from './either.js'

/** The default of the option `pastTimeout`, in ms. */
export const pastTimeout = 5000

export interface WithPastOptions {
  /**
   * The maximum time for which live events are held until the past has ended, in ms: a whole number from 1 to
   * 2147483647. After this time, the rest of the past is dropped. Default: 5000.
   */
  readonly pastTimeout?: number
}

/** Shared by `withPast` and `candles`. */
export const pastTimeoutOption = timerOption({ default: pastTimeout })

/** Past prices and gaps, such as those of `prices$` of a history. */
export type PastStream = Observable<Either<HistoryError, PastEvent>>

/**
 * Emits the past, then `{ _tag: 'CaughtUp' }`, then the live events unchanged.
 *
 * ```
 * past$            --p---q|
 * source (live)    -a----b---L--|       L: Left
 * withPast(past$)  --p---(qCab)L--|     C: CaughtUp
 * ```
 *
 * - Subscribes to the source at once. Live events are held until the past has ended, for at most `pastTimeout` ms
 *   (default 5000). After this time, the rest of the past is dropped, and a `Left` with a `Timeout` precedes
 *   `CaughtUp`. A failure of the past is a `Left`, then its completion ends the hold.
 * - No price is missing where the past meets the live events, if the source is a `price$` of a client, and the past is
 *   `prices$` of a history without `to`. If the topic is not confirmed yet, the past is read again from its last price
 *   on: after the first live price, or without one, 1 s after the confirmation. With an operator between `price$` and
 *   `withPast`, prices between the end of the past and the confirmation are missing.
 * - A live price that the past contains is dropped. In this case, the past price has the same value, and its `at` is
 *   between the `receivedAt` and the arrival of the live price, because a recorder on a busy machine writes `at` some
 *   ms later. The price that was current at the subscription is dropped too, if it is the last past price before the
 *   subscription.
 * - An Rx error of the source ends the stream at once. An Rx error of the past is a `Left` with a `NetworkError`.
 * - An invalid or misspelt option throws a `ConfigurationError`.
 *
 * @example
 * import { openHistory } from 'svc-streams/history'
 * const past$ = openHistory(['market.ndjson']).prices$(topic, { from: Date.now() - 20 * 60_000 })
 * client.price$(topic).pipe(withPast(past$)).subscribe(console.log)
 */
export const withPast = <E, A>(
  past$: PastStream,
  options: WithPastOptions = {},
): EitherOperator<E, A, Either<HistoryError | E, PastEvent | CaughtUp | A>> => {
  const { pastTimeout: timeoutMs } = parseOptions(optionTable, options, { allowsUndefined: true })
  return (source$) =>
    new Observable((subscriber) =>
      joinPast(past$, timeoutMs, source$, subscriber, {
        onPast: (event) => subscriber.next(event),
        onCaughtUp: (releaseLive) => {
          subscriber.next(right({ _tag: 'CaughtUp' }))
          releaseLive()
        },
        onLive: (event) => subscriber.next(event),
        onComplete: () => subscriber.complete(),
      }),
    )
}

const optionTable = { pastTimeout: pastTimeoutOption } satisfies OptionTable<WithPastOptions>

/**
 * Receives past events, then live events. All times are in ms since the Unix epoch, and do not go back before the
 * release.
 */
export interface JoinObserver<Event> {
  readonly onPast: (event: Either<HistoryError, PastEvent>, at: number) => void
  /**
   * Called once. Must call `releaseLive`, which delivers the held events. `hasLive`: false if the live stream has not
   * emitted yet, so that nothing is known of it.
   */
  readonly onCaughtUp: (releaseLive: () => void, hasLive: boolean) => void
  /** `at`: the arrival of the event. */
  readonly onLive: (event: Event, at: number) => void
  readonly onComplete: () => void
}

/**
 * Joins a past to live events, as `withPast` describes. `timeoutMs`: the `pastTimeout`. `subscriber` receives the Rx
 * errors of the source.
 */
export const joinPast = <E, A>(
  past$: PastStream,
  timeoutMs: number,
  source$: Observable<Either<E, A>>,
  subscriber: Subscriber<unknown>,
  observer: JoinObserver<Either<E, A>>,
): Subscription => {
  const startedAt = rxClock.wallClock()
  const overlap = new Overlap(startedAt)
  const past = new Subscription()
  const held: { readonly event: Either<E, A>; readonly at: number }[] = []
  const liveStart = new LiveStart(held)
  let latest = -Infinity
  let isLive = false
  let isComplete = false

  const onLive = (event: Either<E, A>, arrivedAt: number, at = arrivedAt): void => {
    if (!overlap.repeats(event, arrivedAt)) observer.onLive(event, at)
  }
  const releaseLive = (): void => {
    // A handler may cause further live events, which follow the held events.
    for (let next = held.shift(); next !== undefined && !subscriber.closed; next = held.shift())
      onLive(next.event, next.at, Math.max(latest, next.at))
    isLive = true
  }
  const catchUp = (): void => {
    past.unsubscribe()
    if (subscriber.closed) return
    observer.onCaughtUp(releaseLive, held.length > 0)
    if (isComplete) observer.onComplete()
  }
  const onPast = (event: Either<HistoryError, PastEvent>): void => {
    const now = rxClock.wallClock()
    // The recorder's clock may be ahead.
    const at = isLeft(event) ? latest : Math.min(now, timeOf(event.right))
    latest = Math.max(latest, at)
    overlap.add(event)
    observer.onPast(event, latest)
  }
  const fail = (error: HistoryError): void => {
    onPast(left(error))
    catchUp()
  }

  const live = openLive$(source$, liveStart.confirm).subscribe({
    next: (event) => {
      const at = rxClock.wallClock()
      if (isLive) return onLive(event, at)
      held.push({ event, at })
      liveStart.start()
    },
    error: (thrown) => subscriber.error(thrown),
    complete: () => {
      isComplete = true
      liveStart.start()
      if (isLive) observer.onComplete()
    },
  })
  const joined = new Subscription(() => live.unsubscribe())
  joined.add(past)
  past.add(delay(rxClock, timeoutMs, () => fail(timeout(timeoutMs))))
  past.add(
    continuedPast$(past$, liveStart).subscribe({
      next: (event) => {
        if (!past.closed) onPast(event)
      },
      error: (thrown) => fail(networkError(thrown)),
      complete: catchUp,
    }),
  )
  return joined
}

const timeOf = (event: PastEvent): number => (event._tag === 'Gap' ? event.from : event.at)

/** The past prices that may also be live prices: those since the subscription, and the last one before it. */
class Overlap {
  private prices: PastPrice[] = []

  constructor(private readonly startedAt: number) {}

  add(event: Either<unknown, PastEvent>): void {
    if (isLeft(event) || event.right._tag === 'Gap') return
    if (event.right.at < this.startedAt) this.prices = []
    this.prices.push(event.right)
  }

  /** True if a live event that arrives now is one of these prices. The past price replaces it. */
  repeats(event: Either<unknown, unknown>, arrivedAt: number): boolean {
    if (this.prices.length === 0 || isLeft(event)) return false
    const { price, receivedAt = NaN } = event.right as Partial<Price>
    const index = this.prices.findIndex(
      ({ price: value, at }) =>
        value === price && (at === receivedAt || (receivedAt < at && at <= arrivedAt)),
    )
    if (index >= 0) this.prices.splice(index, 1)
    return index >= 0
  }
}
