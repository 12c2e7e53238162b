import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Observable, Subscription, type Subscriber } from 'rxjs'
import {
  parseRangeNames,
  pastOf$,
  type CoveredTopic,
  type History,
  type HistoryRange,
} from '../../client/history.js'
import { parseRange, parseTopicOfAnyService } from '../../codec/arguments.js'
import type { PastEvent } from '../../domain/past.js'
import type { Topic } from '../../domain/topic.js'
import type { HistoryError } from '../../errors/model.js'
import { rxClock } from '../../time/rx-clock.js'
import type { TimeRange } from '../format/timeline.js'
import type { OpenableSource } from '../read/source.js'
import { filesInOrder, PastReading } from './past-reading.js'
import { RecordedFile } from './recorded-file.js'

/**
 * The history in recordings of the same topics. `end`: rows from this time on do not exist yet, in ms since the Unix
 * epoch. Default: no limit.
 */
export const recordedHistory = (sources: readonly OpenableSource[], end?: () => number): History => {
  const files = sources.map((source) => new RecordedFile(source))
  return {
    prices$: (topic, given) =>
      pastOf$(
        given,
        (range) =>
          new Observable((subscriber) => {
            const request = parseRequest(topic, range, end?.())
            if (isRight(request)) void emitPast(files, topic, request.right, subscriber)
            else endWith(subscriber, request.left)
          }),
      ),
    topics: () => () => coveredTopics(files),
  }
}

const parseRequest = (
  topic: Topic,
  range: HistoryRange,
  end: number | undefined,
): Either<HistoryError, TimeRange> => {
  const parsed = parseTopicOfAnyService(topic)
  if (isLeft(parsed)) return parsed
  const named = parseRangeNames(range)
  if (isLeft(named)) return named
  const { from, to } = named.right
  const latest = end ?? Math.floor(rxClock.wallClock()) + 1
  return parseRange(from, to === undefined || (end !== undefined && to > end) ? latest : to)
}

const emitPast = async (
  files: readonly RecordedFile[],
  topic: Topic,
  range: TimeRange,
  subscriber: Subscriber<Either<HistoryError, PastEvent>>,
): Promise<void> => {
  const closing = new Subscription()
  subscriber.add(closing)
  const emit = (event: PastEvent): void => subscriber.next(right(event))
  const result = await new PastReading(topic, range, emit, closing).read(files)
  endWith(subscriber, isLeft(result) ? result.left : undefined)
}

const endWith = (
  subscriber: Subscriber<Either<HistoryError, PastEvent>>,
  error: HistoryError | undefined,
): void => {
  if (error !== undefined) subscriber.next(left(error))
  subscriber.complete()
}

const coveredTopics = async (
  files: readonly RecordedFile[],
): Promise<Either<HistoryError, readonly CoveredTopic[]>> => {
  const ordered = await filesInOrder(files)
  if (isLeft(ordered)) return ordered
  /** The topics, in lower case, with the start of their first file, and with their last file. */
  const topics = new Map<
    string,
    { readonly topic: Topic; readonly from: number; readonly last: RecordedFile }
  >()
  for (const { file } of ordered.right) {
    const header = await file.header()
    const from = await file.start()
    if (isLeft(header)) return header
    if (isLeft(from)) return from
    for (const topic of header.right.topics) {
      const key = topic.toLowerCase()
      topics.set(key, { topic, from: from.right, ...topics.get(key), last: file })
    }
  }
  const ends = new Map<RecordedFile, number>()
  for (const { last } of topics.values()) {
    if (ends.has(last)) continue
    const end = await last.latest()
    if (isLeft(end)) return end
    ends.set(last, end.right)
  }
  return right(
    [...topics.values()].map(({ topic, from, last }) => ({ topic, from, to: ends.get(last) ?? from })),
  )
}
