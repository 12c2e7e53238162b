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
import { windowTimeOf } from './data-window.js'
import type { EitherOperator } from './either.js'
import { PastEnd } from './past-end.js'
import { LiveStart, pastUntilLive$ } from './past-until-live.js'

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
 * - Each price comes once, in order, if the source is a `price$` of a client, the past is `prices$` of a history without
 *   `to`, and its recorder is the gateway of the client or records the client itself: both then give the prices the same
 *   positions. The past is read again from its last price on, until it has the price before the first live one.
 * - With another recorder, or an operator between `price$` and `withPast`, it is not known which prices are missing: a `Gap`
 *   from the last past price to the first live one says so, unless the past has this live price.
 * - A live price that the past has is dropped, also the price that is current at the subscription. Without common
 *   positions, it is the same price if value and time are equal.
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
  const { open$, position, maxLag = 5_000 } = liveSourceOf(source$)
  const source = pastSourceOf(past$)
  const end = new PastEnd(source.isEndless)
  const liveStart = new LiveStart()
  const past = new Subscription()
  let held: HeldEvent<Either<E, A>>[] = []
  let latest = -Infinity
  let state: 'past' | 'releasing' | 'live' = 'past'
  let mayRepeat = true
  let isComplete = false

  const isRepeated = ({ event, position }: Omit<HeldEvent<Either<E, A>>, 'at'>): boolean => {
    if (!mayRepeat || isLeft(event)) return false
    const price = event.right as Partial<Price>
    if (end.take(price, position)) return true
    mayRepeat = state === 'past' || !end.isBefore(price.receivedAt)
    return false
  }
  const releaseLive = (): void => {
    // A handler may cause further live events, which follow the held events.
    for (let next = held.shift(); next !== undefined; next = held.shift())
      observer.onLive(next.event, Math.max(latest, next.at))
    state = 'live'
  }
  const onPast = (event: Either<HistoryError, PastEvent>): void => {
    const now = rxClock.wallClock()
    // The recorder's clock may be ahead.
    const at = isLeft(event) ? latest : Math.min(now, timeOf(event.right))
    latest = Math.max(latest, at)
    observer.onPast(event, latest)
  }
  const catchUp = (): void => {
    safeUnsubscribe(past)
    const newest = held.at(-1)
    const oldest = rxClock.wallClock() - maxLag
    held = held.filter((each) => {
      if (isRepeated(each)) return false
      const outdated = each === newest ? undefined : outdatedPrice(each.event, oldest)
      if (outdated === undefined) return true
      const { topic, price, receivedAt } = outdated
      onPast(right({ _tag: 'PastPrice', topic, price, at: Math.max(latest, receivedAt) }))
      return false
    })
    state = 'releasing'
    observer.onCaughtUp(releaseLive, newest !== undefined)
    if (isComplete) observer.onComplete()
  }
  const fail = (error: HistoryError): void => {
    onPast(left(error))
    catchUp()
  }

  const live = open$(() => liveStart.confirm(position())).subscribe({
    next: (event) => {
      const at = windowTimeOf(event)
      if (state !== 'past' && isRepeated({ event, position: position() })) return
      if (state === 'live') return observer.onLive(event, at)
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
      if (state === 'live') observer.onComplete()
    },
  })
  const joined = new Subscription(() => live.unsubscribe())
  joined.add(past)
  past.add(delay(rxClock, timeoutMs, () => fail(timeout(timeoutMs))))
  past.add(
    pastUntilLive$(source, liveStart, end).subscribe({
      next: onPast,
      error: (thrown) => fail(networkError(thrown)),
      complete: catchUp,
    }),
  )
  return joined
}

const timeOf = (event: PastEvent): number => (event._tag === 'Gap' ? event.from : event.at)

/** The price of a live event that is too old to be current. */
const outdatedPrice = (event: Either<unknown, unknown>, oldest: number): Price | undefined => {
  const { topic, price, receivedAt } = isRight(event) ? (event.right as Partial<Price>) : {}
  const isOutdated =
    topic !== undefined && price !== undefined && receivedAt !== undefined && receivedAt < oldest
  return isOutdated && isRight(event) ? (event.right as Price) : undefined
}
