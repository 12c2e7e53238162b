import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import type { EmitPast } from '../recording/summary/topic-past.js'
import type { Topic } from '../../base/domain/topic.js'
import { unknownTopic } from '../recording/codec/errors.js'
import type { HistoryError } from '../../base/errors/model.js'
import type { RecordingHeader } from '../recording/codec/row.js'
import { allTimes, type TimeRange } from '../recording/codec/timeline.js'
import { readSet, type SetReading } from '../recording/read/merge.js'
import type { OpenableSource } from '../recording/read/openable-source.js'
import { TopicPast } from '../recording/summary/topic-past.js'

/** A reading starts earlier than its range by this time, in ms, and then by a multiple, if it is unknown whether the topic had a price at `from`. */
const firstLookback = 60_000
const lookbackFactor = 16

/** `start`: in ms since the Unix epoch. */
export interface StartedFile {
  readonly file: OpenableSource
  readonly start: number
}

export interface PastRange extends Pick<SetReading, 'isOneRecorder' | 'leavesOut'> {
  readonly topic: Topic
  readonly range: TimeRange
  readonly emit: EmitPast
  /** Ends the reading. */
  readonly closing: Subscription
  /** Called before each chunk of a file is decoded, which waits for the promise. */
  readonly flush?: () => Promise<void> | undefined
  /** True if the last row is the current state, because the topic is being recorded. */
  readonly isRecordedOn?: boolean
  /** The keys of the headers that a replay has played: if another one steps back in time, its rows are of the future. */
  readonly playedHeaders?: ReadonlySet<string> | undefined
}

export const headerKey = (source: string, { at }: RecordingHeader): string => `${at} ${source}`

/**
 * Reads the past of a topic within a range: the lines of that time, and earlier lines back to the one that decides
 * whether the topic had a price at the start of the range. The files are in the order of their starts.
 */
export const readPast = async (
  past: PastRange,
  ordered: readonly StartedFile[],
): Promise<Either<HistoryError, unknown>> => {
  const { topic, range, emit, closing, isRecordedOn = false } = past
  const [first] = ordered
  if (first === undefined) return left(unknownTopic(topic))
  for (let lookback = firstLookback; ; lookback *= lookbackFactor) {
    const from = range.from - lookback > first.start ? range.from - lookback : -Infinity
    const topicPast = new TopicPast(topic, emit, range, from === -Infinity)
    const read = await readInto(topicPast, past, from, await filesOf(topic, { from, to: range.to }, ordered))
    if (isLeft(read) || closing.closed) return read
    const isFound = topicPast.recorder !== undefined
    if (!isFound && from === -Infinity) return left(unknownTopic(topic))
    if (!isFound || topicPast.startsTooLate) continue
    topicPast.finish(isRecordedOn)
    return read
  }
}

/** The files that may have rows of the range, those back to one whose header has the topic, and the next one with it. */
const filesOf = async (
  topic: Topic,
  { from, to }: TimeRange,
  ordered: readonly StartedFile[],
): Promise<readonly OpenableSource[]> => {
  const isOfTopic = async (index: number): Promise<boolean> =>
    (await ordered[index]?.file.announces(topic)) !== false
  const latest = ordered.findLastIndex(({ start }) => start <= from)
  // Files of one second have the same start, in any order.
  let first = ordered.findIndex(({ start }) => start === ordered[latest]?.start)
  while (first > 0 && !(await isOfTopic(first))) first--
  let last = ordered.findLastIndex(({ start }) => start < to) + 1
  while (last < ordered.length && !(await isOfTopic(last))) last++
  return ordered.slice(Math.max(0, first), last + 1).map(({ file }) => file)
}

/** Reads the files until the past is complete, or starts too late. `from`: in ms since the Unix epoch; `-Infinity` to read all lines before the range. */
const readInto = async (
  topicPast: TopicPast,
  past: PastRange,
  from: number,
  files: readonly OpenableSource[],
): Promise<Either<HistoryError, unknown>> => {
  const { range, closing, flush, playedHeaders } = past
  const reading = { ...past, range: allTimes, partOf: { from, to: range.to }, allowsCut: true }
  for await (const entries of readSet(files, reading)) {
    topicPast.passTime()
    if (isLeft(entries)) return topicPast.now >= range.to ? right(undefined) : entries
    await flush?.()
    for (const { line, origin } of entries.right) {
      const isFuture = line._tag === 'Recording' && line.at < origin.recorder.latest
      if (closing.closed || (isFuture && playedHeaders?.has(headerKey(origin.source, line)) === false))
        return right(undefined)
      topicPast.onLine(line, origin)
      if (topicPast.startsTooLate) return right(undefined)
      origin.recorder.passTime(line)
    }
  }
  return right(undefined)
}
