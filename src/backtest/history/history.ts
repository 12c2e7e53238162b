import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { Observable, Subscription } from 'rxjs'
import { readablePast$, type OnPosition, type EmitPast, type PastEvent } from '../../base/domain/past.js'
import { defaultService, isTopicOfAnyService, type Topic } from '../../base/domain/topic.js'
import { invalidTopic } from '../../base/errors/constructors.js'
import type { HistoryError } from '../../base/errors/model.js'
import { plainObject } from '../../base/option-kinds/option.js'
import { parseGivenRange, type HistoryRange } from './range.js'

/** A topic of a history, and the time from its first to its last row, in ms since the Unix epoch. This time may contain gaps. */
export interface CoveredTopic {
  readonly topic: Topic
  readonly from: number
  readonly to: number
}

/** Past prices, from recordings, a gateway, or NATS. */
export interface History {
  /**
   * The prices of a topic and the gaps between them, in order, then completion. Each subscription reads again. A
   * failure is a `Left`, followed by completion.
   *
   * @example
   * import { openHistory } from 'svc-streams/history'
   * openHistory(['market.ndjson']).prices$('svc-0x82af', { from: Date.now() - 20 * 60_000 }) // Observable<Either<HistoryError, PastEvent>>
   */
  readonly prices$: (topic: Topic, range: HistoryRange) => Observable<Either<HistoryError, PastEvent>>
  /** The topics of the history, in the order in which they were recorded. */
  readonly topics: () => TaskEither<HistoryError, readonly CoveredTopic[]>
}

/** Resolves at the end of the range, or with the error that ends the reading. `closing` ends it too. Never rejects. */
export type ReadPast = (
  topic: Topic,
  range: HistoryRange,
  emit: EmitPast,
  closing: Subscription,
) => Promise<Either<HistoryError, unknown>>

/** The `prices$` of a history. `withPast` reads the positions of its prices, and continues a past without `to`. */
export const pricesFrom$ = (read: ReadPast): History['prices$'] => {
  const read$ = (
    topic: Topic,
    given: HistoryRange,
    onPosition?: OnPosition,
  ): ReturnType<History['prices$']> =>
    new Observable((subscriber) => {
      const end = (result: Either<HistoryError, unknown>): void => {
        if (isLeft(result)) subscriber.next(result)
        subscriber.complete()
      }
      if (!isTopicOfAnyService(topic)) return end(left(invalidTopic(topic, defaultService)))
      const range = parseGivenRange(given)
      if (isLeft(range)) return end(range)
      const closing = new Subscription()
      subscriber.add(closing)
      const emit: EmitPast = (event, position) => {
        onPosition?.(position)
        subscriber.next(right(event))
      }
      void read(topic, range.right, emit, closing).then(end)
    })
  return (topic, range) =>
    readablePast$(
      (from, onPosition) => read$(topic, from === undefined ? range : { ...range, from }, onPosition),
      plainObject.holds(range) && range.to === undefined,
    )
}
