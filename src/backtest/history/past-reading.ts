import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import type { EmitPast } from '../../base/domain/past.js'
import type { Topic } from '../../base/domain/topic.js'
import { emptyRecording, recordingError, unknownTopic } from '../recording/codec/errors.js'
import type { HistoryError, RecordingError } from '../../base/errors/model.js'
import { encodeRow } from '../recording/codec/row-codec.js'
import type { RecordingHeader } from '../recording/codec/row.js'
import { allTimes, type TimeRange } from '../recording/codec/timeline.js'
import { sameTime } from '../recording/read/merge.js'
import { readSource } from '../recording/read/read-entries.js'
import { rotatedStart, type RecordedFile, type StartedFile } from '../recording/read/recorded-file.js'
import { TopicPast } from '../recording/summary/topic-past.js'

/** A reading starts earlier than its range by this time, in ms, and then by a multiple, if it is unknown whether the topic had a price at `from`. */
const firstLookback = 60_000
const lookbackFactor = 16

export const filesInOrder = async (
  files: readonly RecordedFile[],
): Promise<Either<RecordingError, readonly StartedFile[]>> => {
  if (files.length === 0) return left(emptyRecording('the recording'))
  const started: StartedFile[] = []
  for (const file of files) {
    const named = rotatedStart(file.source.name)
    const start = named === undefined ? await file.start() : right(named)
    if (isLeft(start)) return start
    started.push({ file, start: start.right })
  }
  return right(started.sort((a, b) => a.start - b.start))
}

export interface PastRange {
  readonly topic: Topic
  readonly range: TimeRange
  readonly emit: EmitPast
  /** Ends the reading. */
  readonly closing: Subscription
  /** Called before each chunk of a file is decoded, which waits for the promise. */
  readonly flush?: () => Promise<void> | undefined
  /** True if the last row is the current state, because the topic is being recorded. */
  readonly isRecordedOn?: boolean
  /** True if one recorder has written all files: rows of one time follow a step of its clock. Otherwise they are an error. */
  readonly isOneRecorder?: boolean
  /** False for a header that a replay has not played: if it steps back in time, its rows are of the future. */
  readonly isPlayed?: (source: string, header: RecordingHeader) => boolean
}

/**
 * Reads the past of a topic within a range: the lines of that time, and earlier lines back to the one that decides
 * whether the topic had a price at the start of the range. The files are in the order of their starts.
 */
export const readPast = async (
  past: PastRange,
  ordered: readonly StartedFile[],
): Promise<Either<HistoryError, unknown>> => {
  const start = ordered[0]?.start ?? -Infinity
  for (let lookback = firstLookback; ; lookback *= lookbackFactor) {
    const from = past.range.from - lookback
    const reading = new PastReading(past, from > start ? from : -Infinity)
    const end = await reading.read(ordered)
    if (isLeft(end) || end.right !== 'starts too late') return end
  }
}

/** Where a reading ends. `starts too late`: no event was emitted, because it is unknown whether the topic had a price at `from`. */
type ReadingEnd = 'starts too late' | 'end of the range'

class PastReading {
  private readonly topicPast: TopicPast
  /** The last file with a row of the topic. */
  private owner: RecordedFile | undefined
  /** True if a file has the topic. */
  private isFound = false

  /** `from`: in ms since the Unix epoch; `-Infinity` to read all lines before the range. */
  constructor(
    private readonly past: PastRange,
    private readonly from: number,
  ) {
    const { topic, emit, range } = past
    this.topicPast = new TopicPast(topic, emit, range, from === -Infinity)
  }

  async read(ordered: readonly StartedFile[]): Promise<Either<HistoryError, ReadingEnd>> {
    const { from, topicPast, past } = this
    const { topic, range, closing, isRecordedOn = false } = past
    let index = Math.max(
      0,
      ordered.findLastIndex(({ start }) => start <= from),
    )
    while (index > 0 && !(await ordered[index]?.file.announces(topic))) index--
    for (const { file, start } of ordered.slice(index)) {
      if (closing.closed || (start >= range.to && topicPast.now >= range.to)) break
      const end = await this.readFile(file)
      if (isLeft(end) || end.right === 'starts too late') return end
    }
    if (!this.isFound && !closing.closed)
      return from === -Infinity ? left(unknownTopic(topic)) : right('starts too late')
    topicPast.finish(isRecordedOn)
    return right('end of the range')
  }

  /** The lines of a file before its first header or row with the topic concern other topics. */
  private async readFile(file: RecordedFile): Promise<Either<HistoryError, ReadingEnd>> {
    const { topicPast, past, from, owner: before } = this
    const { topic, range, closing, flush, isPlayed } = past
    const { priceAt: lastAt } = topicPast
    const part = await file.partOf({ from, to: range.to })
    let { isOneRecorder: isSameRecorder } = past
    let hasTopic = false
    let isEntered = part.start === 0
    let header: RecordingHeader | undefined
    const passHeader = (): void => {
      if (header === undefined) return
      isSameRecorder ??= topicPast.isContinuedBy(header)
      if (isEntered) topicPast.onLine(header)
      else topicPast.enter(header)
      isEntered = true
      header = undefined
    }
    for await (const entries of readSource(file.source, allTimes, closing, true, part)) {
      if (isLeft(entries)) return topicPast.now >= range.to ? right('end of the range') : entries
      await flush?.()
      for (const { line, origin } of entries.right) {
        if (closing.closed) return right('end of the range')
        if (line._tag === 'Recording') {
          if (line.at < topicPast.latest && isPlayed?.(origin.source, line) === false)
            return right('end of the range')
          header = line
        }
        hasTopic ||= topicPast.concerns(line)
        if (!hasTopic) continue
        this.isFound = true
        passHeader()
        if (line._tag === 'Recording') continue
        if (line.at >= range.from && !topicPast.isKnown) return right('starts too late')
        if (topicPast.concerns(line)) {
          if (before !== undefined && isSameRecorder !== true && line.at < lastAt)
            return left(
              recordingError(origin.source, origin.lineNumber, encodeRow(line), [
                sameTime(topic, before.source.name),
              ]),
            )
          this.owner = file
        }
        if (line.at < range.to) topicPast.onLine(line)
        else topicPast.passTime(line.at)
      }
    }
    return right('end of the range')
  }
}
