import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { Observable, Subscription } from 'rxjs'
import { pastSources, type OnPosition, type PastEvent } from '../../base/domain/past.js'
import { defaultService, isTopicOfAnyService, type Topic } from '../../base/domain/topic.js'
import { invalidTopic } from '../../base/errors/constructors.js'
import type { HistoryError, InvalidRange } from '../../base/errors/model.js'
import { describeValue } from '../../base/errors/text.js'
import { plainObject } from '../../base/option-kinds/option.js'
import { invalidRange } from '../recording/codec/errors.js'
import type { EmitPast } from '../recording/summary/topic-past.js'
import { isRecordedTime, unitHint } from '../recording/codec/times.js'

/** A topic of a history, and the time from its first to its last row, in ms since the Unix epoch. This time may contain gaps. */
export interface CoveredTopic {
  readonly topic: Topic
  readonly from: number
  readonly to: number
}

/** A time, in ms since the Unix epoch. */
export interface HistoryRange {
  /** Inclusive. */
  readonly from: number
  /** Exclusive. Default: the time of the subscription, including its millisecond. */
  readonly to?: number
}

/** Past prices, from recordings or a gateway. */
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

/** The stream of a past that can be read again. */
export const readablePast$ = <T>(
  read$: (from?: number, onPosition?: OnPosition) => Observable<T>,
  isEndless: boolean,
): Observable<T> => {
  const past$ = read$()
  pastSources.set(past$, { read$, isEndless })
  return past$
}

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
      const range = plainObject.holds(given)
        ? parseRange(given.from, given.to ?? given.from)
        : left(invalidRange(`range: expected an object like { from, to }, got ${describeValue(given)}`))
      if (isLeft(range)) return end(range)
      const closing = new Subscription()
      subscriber.add(closing)
      const emit: EmitPast = (event, position) => {
        onPosition?.(position)
        subscriber.next(right(event))
      }
      void read(topic, given, emit, closing).then(end)
    })
  return (topic, range) =>
    readablePast$(
      (from, onPosition) => read$(topic, from === undefined ? range : { ...range, from }, onPosition),
      plainObject.holds(range) && range.to === undefined,
    )
}

/** Validates a time range in ms since the Unix epoch. Equal times are an empty range. */
export const parseRange = (from: number, to: number): Either<InvalidRange, { from: number; to: number }> => {
  const invalid = (problem: string) => left(invalidRange(problem, from, to))
  for (const [name, time] of Object.entries({ from, to })) {
    if (typeof time !== 'number' || !isRecordedTime(time))
      return invalid(
        `${name}: expected a time in ms since the Unix epoch, got ${describeValue(time)}${unitHint(time)}`,
      )
  }
  return from > to
    ? invalid(`from: expected a time before to, got ${from}, which is after ${to}`)
    : right({ from, to })
}
