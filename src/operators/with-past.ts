import { right, type Either } from 'fp-ts/lib/Either.js'
import { EMPTY, Observable } from 'rxjs'
import type { CaughtUp, PastEvent } from '../base/domain/past.js'
import { ConfigurationError } from '../base/errors/configuration-error.js'
import type { HistoryError } from '../base/errors/model.js'
import { timerOption } from '../base/option-kinds/number-option.js'
import { observable } from '../base/option-kinds/observable.js'
import { checkedOption, flagOption, type OptionTable } from '../base/option-kinds/option.js'
import { checkValue, parseOptions } from '../base/option-kinds/parse-options.js'
import type { EitherOperator } from './either.js'
import type { TopicPast } from './missing-prices.js'
import { PastJoin, type JoinConfig } from './past-join.js'

/** The default of the option `pastTimeout`, in ms. */
export const pastTimeout = 5000

export interface RefillOptions {
  /**
   * True: after each interruption, that is a `Left` or a change of `epoch`, the missing prices are read from the history and
   * come before the next live price. Requires a past with `history` and `topic`. Default: false.
   */
  readonly refill?: boolean
  /**
   * The maximum time for which live events are held until the missing prices are read, in ms: a whole number from 1 to
   * 2147483647. Default: 5000.
   */
  readonly refillTimeout?: number
}

export interface WithPastOptions extends RefillOptions {
  /**
   * The maximum time for which live events are held until the past has ended, in ms: a whole number from 1 to
   * 2147483647. After this time, the rest of the past is dropped. Default: 5000.
   */
  readonly pastTimeout?: number
}

// Shared by `withPast` and `candles`.
export const pastOption = checkedOption<PastStream>('object', observable)
export const topicPastOption = checkedOption<TopicPast>('object', {
  expected: 'an object like { history, topic, from }',
  holds: isTopicPast,
})
export const joinOptionTable = {
  pastTimeout: timerOption({ default: pastTimeout }),
  refill: flagOption(false),
  refillTimeout: timerOption({ default: 5000 }),
} satisfies OptionTable<WithPastOptions>

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
 * - With `{ refill: true }` and a past like `{ history, topic }`, what an interruption has left out comes before the next live
 *   price: after a `Left` or a change of `epoch`, the history is read from the last price to this one, for at most
 *   `refillTimeout` ms (default 5000). What the history does not know is a `Gap`; its failure is a `Left` before the `Gap`. A
 *   recorder with common positions identifies both prices; any other one by their values, if its clock differs by less than
 *   1 s. Without `from`, nothing is read at the start.
 * - An Rx error of the source ends the stream at once. An Rx error of the past is a `Left` with a `NetworkError`.
 * - An invalid past, and an invalid or misspelt option, throws a `ConfigurationError`.
 *
 * @example
 * import { openHistory } from 'svc-streams/history'
 * const past$ = openHistory(['market.ndjson']).prices$(topic, { from: Date.now() - 20 * 60_000 })
 * client.price$(topic).pipe(withPast(past$)).subscribe(console.log)
 *
 * @example
 * import { openHistory } from 'svc-streams/history'
 * const history = openHistory('http://127.0.0.1:8080')
 * client.price$(topic).pipe(withPast({ history, topic }, { refill: true })).subscribe(console.log)
 */
export const withPast = <E, A>(
  past$: PastStream | TopicPast,
  options: WithPastOptions = {},
): EitherOperator<E, A, Either<HistoryError | E, PastEvent | CaughtUp | A>> => {
  if (!isTopicPast(past$)) checkValue('past$', past$, pastOption)
  const config = joinConfig(past$, parseOptions(joinOptionTable, options, { allowsUndefined: true }))
  return (source$) =>
    new Observable((subscriber) =>
      new PastJoin(config, source$, subscriber, {
        onPast: (event) => subscriber.next(event),
        onCaughtUp: () => subscriber.next(right({ _tag: 'CaughtUp' })),
        onLive: (event) => subscriber.next(event),
        onInterruption: (event) => event && subscriber.next(event),
        onComplete: () => subscriber.complete(),
      }).start(),
    )
}

/** How `withPast` and `candles` join a past. Throws a `ConfigurationError` if there is no history for `refill`. */
export const joinConfig = (
  past$: PastStream | TopicPast,
  { refill, ...options }: { pastTimeout: number; refill: boolean; refillTimeout: number },
): JoinConfig => {
  const given = 'history' in past$ ? past$ : undefined
  if (refill && given === undefined)
    throw new ConfigurationError(
      'refill',
      `requires a past with history and topic, such as { history, topic }`,
    )
  return {
    ...options,
    past$: given === undefined ? (past$ as PastStream) : pastOf$(given),
    refill: refill ? given : undefined,
  }
}

/** The past at the start. */
const pastOf$ = ({ history, topic, from }: TopicPast): PastStream =>
  from === undefined ? EMPTY : history.prices$(topic, { from })

function isTopicPast(value: unknown): value is TopicPast {
  if (typeof value !== 'object' || value === null) return false
  const { history, topic, from } = value as Partial<TopicPast>
  return (
    typeof history?.prices$ === 'function' &&
    typeof topic === 'string' &&
    (from === undefined || Number.isFinite(from))
  )
}
