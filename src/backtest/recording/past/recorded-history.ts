import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import { pricesFrom$, type History, type HistoryRange } from './history.js'
import { parseTopicOfAnyService } from '../../../wire/codec/arguments.js'
import { parseRange } from './range.js'
import type { Topic } from '../../../base/domain/topic.js'
import type { HistoryError, InvalidRange } from '../../../base/errors/model.js'
import type { EmitPast } from '../../../base/domain/past.js'
import { rxClock } from '../../../base/time/rx-clock.js'
import { allTimes, type TimeRange } from '../format/timeline.js'
import { readSet } from '../read/recording-set.js'
import type { OpenableSource } from '../read/source.js'
import { CoveredTopics } from './covered-topics.js'
import { hasOverlap } from './overlap.js'
import { afterLast, filesInOrder, PastReading, type Line } from './past-reading.js'
import { RecordedFile } from './recorded-file.js'
import { TopicPast } from './topic-past.js'

/** The present of a replay: later rows do not exist yet. */
export interface Present {
  /** In ms since the Unix epoch. */
  readonly now: () => number
  /** The last line that was played of the recorder of a topic. After a step back of its clock, later rows have earlier times. */
  readonly lastOf: (topic: Topic) => Line | undefined
}

/** The history in recordings of the same topics. */
export const recordedHistory = (sources: readonly OpenableSource[], present?: Present): History => {
  const files = sources.map((source) => new RecordedFile(source))
  const topics = new CoveredTopics(files)
  return {
    prices$: pricesFrom$({
      parseTopic: parseTopicOfAnyService,
      parseTimes: (range) => parseTimes(range, present?.now()),
      read: async (topic, range, emit, closing) => {
        const last = present?.lastOf(topic)
        const ordered = await filesInOrder(files)
        if (isLeft(ordered)) return ordered
        const isMerged = await hasOverlap(ordered.right, topic, range.to)
        if (isLeft(isMerged)) return isMerged
        return isMerged.right
          ? readMerged(sources, { topic, range, emit, closing, last })
          : new PastReading(topic, range, emit, closing, undefined, false, last).read(ordered.right)
      },
    }),
    topics: () => () => topics.read(),
  }
}

interface MergedReading {
  readonly topic: Topic
  readonly range: TimeRange
  readonly emit: EmitPast
  readonly closing: Subscription
  readonly last: Line | undefined
}

/** Reads all lines, because any earlier line may decide which recorder's rows are played. */
const readMerged = async (
  sources: readonly OpenableSource[],
  { topic, range, emit, closing, last }: MergedReading,
): Promise<Either<HistoryError, unknown>> => {
  const past = new TopicPast(topic, emit, range)
  const isUnplayed = afterLast(last)
  let isAfter = false
  for await (const entries of readSet(sources, { range: allTimes, closing, allowsCut: true })) {
    if (isLeft(entries)) {
      if (!isAfter) return entries
      break
    }
    for (const { line, origin } of entries.right) {
      if (!origin.sequence.owns(topic) || isUnplayed(line)) continue
      isAfter = line.at >= range.to
      if (line._tag === 'Recording' || !isAfter) past.onLine(line)
      else past.passTime(line.at)
    }
  }
  past.finish(false)
  return right(undefined)
}

const parseTimes = ({ from, to }: HistoryRange, end: number | undefined): Either<InvalidRange, TimeRange> => {
  const latest = end ?? Math.floor(rxClock.wallClock()) + 1
  return parseRange(from, to === undefined || (end !== undefined && to > end) ? latest : to, end)
}
