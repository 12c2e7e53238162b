import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Observable, Subscription, type Subscriber } from 'rxjs'
import { liveSourceOf, pastSourceOf } from '../base/domain/joinable.js'
import type { CaughtUp, PastEvent } from '../base/domain/past.js'
import { copyPosition, type PricePosition } from '../base/domain/position.js'
import type { Price } from '../base/domain/price.js'
import { networkError, timeout } from '../base/errors/constructors.js'
import type { HistoryError } from '../base/errors/model.js'
import { timerOption } from '../base/option-kinds/number-option.js'
import { observable } from '../base/option-kinds/observable.js'
import { checkedOption, type OptionTable } from '../base/option-kinds/option.js'
import { checkValue, parseOptions } from '../base/option-kinds/parse-options.js'
import { safeUnsubscribe } from '../base/task/safe-notify.js'
import { delay } from '../base/time/deadline.js'
import { rxClock } from '../base/time/rx-clock.js'
import { continuedPast$, LiveStart } from './continued-past.js'
import { windowTimeOf } from './data-window.js'
import type { EitherOperator } from './either.js'
import { Overlap } from './overlap.js'

/** The default of the option `pastTimeout`, in ms. */
export const pastTimeout = 5000

export interface WithPastOptions {
  /**
   * The maximum time for which live events are held until the past has ended, in ms: a whole number from 1 to
   * 2147483647. After this time, the rest of the past is dropped. Default: 5000.
   */
  readonly pastTimeout?: number
}

// Shared by `withPast` and `candles`.
export const pastOption = checkedOption<PastStream>('object', observable)
export const pastTimeoutOption = timerOption({ default: pastTimeout })

/** Past prices and gaps, such as those of `prices$` of a history. */
export type PastStream = Observable<Either<HistoryError, PastEvent>>

/**
 * Emits the past, then `{ _tag: 'CaughtUp' }`, then the live events unchanged.
 *
 * ```
 * past$            --p---q|
 * source (live)    -a----b--------L--|     L: Left
 * withPast(past$)  --p---q(Cab)---L--|     C: CaughtUp
 * ```
 *
 * - Subscribes to the source at once. Live events are held until the past has ended, for at most `pastTimeout` ms
 *   (default 5000). After this time, the rest of the past is dropped, and a `Left` with a `Timeout` precedes
 *   `CaughtUp`. A failure of the past is a `Left`, then its completion ends the hold.
 * - A held price that is older than the `maxLag` of the client when the past has ended, and that another event has followed,
 *   is a `PastPrice` before `CaughtUp`.
 * - No price is missing where the past meets the live events, if the source is a `price$` of a client, and the past is
 *   `prices$` of a history without `to`. The past is read again from its last price on, if it does not contain all prices
 *   before the confirmation of the topic. With an operator between `price$` and `withPast`, prices between the end of the
 *   past and the confirmation are missing.
 * - A live price that the past contains is dropped, also the price that is current at the subscription. If the recorder
 *   is the gateway of the client, or records the client itself, prices are compared by their number, which both have:
 *   each price comes once, in order, also if all are equal. Otherwise the last past prices and the first live prices
 *   are compared by their values: no price is missing if they differ and the recorder receives them at most 1 s after the
 *   client, but equal prices may come twice. Clocks are never compared.
 * - An Rx error of the source ends the stream at once. An Rx error of the past is a `Left` with a `NetworkError`.
 * - An invalid past, and an invalid or misspelt option, throws a `ConfigurationError`.
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
  checkValue('past$', past$, pastOption)
  const { pastTimeout: timeoutMs } = parseOptions(optionTable, options, { allowsUndefined: true })
  return (source$) =>
    new Observable((subscriber) => {
      let latest = -Infinity
      const { maxLag = 5_000 } = liveSourceOf(source$)
      return joinPast(past$, timeoutMs, source$, subscriber, {
        onPast: (event) => {
          if (isRight(event)) latest = timeOf(event.right)
          subscriber.next(event)
        },
        onCaughtUp: (releaseLive, held) => {
          for (const { topic, price, receivedAt } of takeOutdated(held, maxLag)) {
            latest = Math.max(latest, receivedAt)
            subscriber.next(right({ _tag: 'PastPrice', topic, price, at: latest }))
          }
          subscriber.next(right({ _tag: 'CaughtUp' }))
          releaseLive()
        },
        onLive: (event) => subscriber.next(event),
        onComplete: () => subscriber.complete(),
      })
    })
}

/** Removes and returns the held prices that are too old, except the last event, which is the state of the topic. */
const takeOutdated = <E, A>(held: HeldEvent<Either<E, A>>[], maxLag: number): readonly Price[] => {
  const oldest = rxClock.wallClock() - maxLag
  const outdated: Price[] = []
  const current = held.filter(({ event }, index) => {
    const price = isRight(event) ? (event.right as Partial<Price>) : {}
    const isOutdated =
      price.topic !== undefined &&
      price.price !== undefined &&
      price.receivedAt !== undefined &&
      price.receivedAt < oldest &&
      index < held.length - 1
    if (isOutdated) outdated.push(price as Price)
    return !isOutdated
  })
  held.splice(0, held.length, ...current)
  return outdated
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
  readonly onCaughtUp: (releaseLive: () => void, held: HeldEvent<Event>[], hasLive: boolean) => void
  /** `at`: the time that decides the window of the event. */
  readonly onLive: (event: Event, at: number) => void
  readonly onComplete: () => void
}

interface HeldEvent<Event> {
  readonly event: Event
  /** The time that decides its window, in ms since the Unix epoch. */
  readonly at: number
  readonly position: PricePosition | undefined
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
  const { open$, position } = liveSourceOf(source$)
  const overlap = new Overlap()
  const past = new Subscription()
  let held: HeldEvent<Either<E, A>>[] = []
  const liveStart = new LiveStart()
  let latest = -Infinity
  let hasCaughtUp = false
  let isLive = false
  let isComplete = false

  const releaseLive = (): void => {
    // A handler may cause further live events, which follow the held events.
    for (let next = held.shift(); next !== undefined; next = held.shift())
      observer.onLive(next.event, Math.max(latest, next.at))
    isLive = true
  }
  const catchUp = (): void => {
    safeUnsubscribe(past)
    overlap.end()
    hasCaughtUp = true
    const hasLive = held.length > 0
    held = held.filter(({ event, position }) => !overlap.repeats(event, position))
    observer.onCaughtUp(releaseLive, held, hasLive)
    if (isComplete) observer.onComplete()
  }
  const onPast = (event: Either<HistoryError, PastEvent>): void => {
    const now = rxClock.wallClock()
    // The recorder's clock may be ahead.
    const at = isLeft(event) ? latest : Math.min(now, timeOf(event.right))
    latest = Math.max(latest, at)
    observer.onPast(event, latest)
  }
  const fail = (error: HistoryError): void => {
    onPast(left(error))
    catchUp()
  }

  const live = open$(() => liveStart.confirm(position())).subscribe({
    next: (event) => {
      const at = windowTimeOf(event)
      if (hasCaughtUp && overlap.repeats(event, position())) return
      if (isLive) return observer.onLive(event, at)
      const current = position()
      const eventPosition = current && copyPosition(current)
      held.push({ event, at, position: eventPosition })
      if (isLeft(event)) liveStart.start()
      else liveStart.start(event.right as Partial<Price>, eventPosition)
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
    continuedPast$(pastSourceOf(past$), liveStart, overlap).subscribe({
      next: onPast,
      error: (thrown) => fail(networkError(thrown)),
      complete: catchUp,
    }),
  )
  return joined
}

const timeOf = (event: PastEvent): number => (event._tag === 'Gap' ? event.from : event.at)
