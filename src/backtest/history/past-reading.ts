import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import type { EmitPast } from '../../base/domain/past.js'
import type { Topic } from '../../base/domain/topic.js'
import { emptyRecording, recordingError, unknownTopic } from '../recording/codec/errors.js'
import type { HistoryError, RecordingError } from '../../base/errors/model.js'
import { encodeRow } from '../recording/codec/row-codec.js'
import type { RecordingHeader } from '../recording/codec/row.js'
import type { TimeRange } from '../recording/codec/timeline.js'
import { sameTime } from '../recording/read/merge.js'
import type { RecordedFile, StartedFile } from '../recording/read/recorded-file.js'
import { TopicPast } from '../recording/summary/topic-past.js'

/** The number of bytes by which a reading starts earlier, if it is unknown whether the topic had a price at `from`. */
const firstStep = 2 ** 20

/** Where a reading starts. */
interface Start {
  /** Of the file. */
  readonly index: number
  /** In the file, in bytes. */
  readonly position: number
  /** The number of bytes by which the next reading starts earlier. */
  readonly step: number
}

/** The files, in the order of their starts. */
export const filesInOrder = async (
  files: readonly RecordedFile[],
): Promise<Either<RecordingError, readonly StartedFile[]>> => {
  if (files.length === 0) return left(emptyRecording('the recording'))
  const started: StartedFile[] = []
  for (const file of files) {
    const start = file.namedStart === undefined ? await file.start() : right(file.namedStart)
    if (isLeft(start)) return start
    started.push({ file, start: start.right })
  }
  return right(started.sort((a, b) => a.start - b.start))
}

/** What is read of the past of a topic. */
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
 * whether the topic had a price at the start of the range. Other files are excluded by name or header.
 */
export class PastReading {
  constructor(private readonly past: PastRange) {}

  /** Resolves at the end of the range, or with the error that ends the reading. */
  async read(ordered: readonly StartedFile[]): Promise<Either<HistoryError, unknown>> {
    for (let start = await this.firstStart(ordered); ; start = await this.earlier(start, ordered)) {
      const reading = await this.readFrom(start, ordered)
      if (isLeft(reading) || reading.right !== 'starts too late') return reading
    }
  }

  private async firstStart(ordered: readonly StartedFile[]): Promise<Start> {
    const { range } = this.past
    // A file before may have rows of the ms in which another one starts.
    const index = await this.lastIndex(ordered, ordered.findLastIndex(({ start }) => start < range.from) + 1)
    const part = await ordered[index]?.file.partOf(range)
    return { index, position: part?.start ?? 0, step: firstStep }
  }

  private async earlier({ index, position, step }: Start, ordered: readonly StartedFile[]): Promise<Start> {
    if (position > 0) return { index, position: Math.max(0, position - step), step: 4 * step }
    const previous = await this.lastIndex(ordered, index)
    const end = (await ordered[previous]?.file.end()) ?? 0
    return { index: previous, position: Math.max(0, end - firstStep), step: 4 * firstStep }
  }

  /** The index of the last file with the topic, of those before `end`; 0 without such a file. */
  private async lastIndex(ordered: readonly StartedFile[], end: number): Promise<number> {
    for (let index = end - 1; index > 0; index--)
      if (await ordered[index]?.file.has(this.past.topic)) return index
    return 0
  }

  /** `starts too late`: no event was emitted, because it is unknown whether the topic had a price at `from`. */
  private async readFrom(
    { index, position }: Start,
    ordered: readonly StartedFile[],
  ): Promise<Either<HistoryError, ReadingEnd>> {
    const { topic, range, emit, closing, isRecordedOn = false } = this.past
    const past = new TopicPast(topic, emit, range, index === 0 && position === 0)
    const otherTopics = new Set<string>()
    let before: RecordedFile | undefined
    for (const [offset, { file, start }] of ordered.slice(index).entries()) {
      if (closing.closed) break
      if (start >= range.to && past.now >= range.to) break
      if (await file.has(topic)) {
        const end = await this.readFile(file, offset === 0 ? position : 0, past, before)
        before = file
        if (isLeft(end) || end.right === 'starts too late') return end
      } else for (const other of await file.topics()) otherTopics.add(other)
    }
    // A file that has the topic is never after the start, unless the start is the first file.
    if (before === undefined) return left(unknownTopic(topic, [...otherTopics]))
    past.finish(isRecordedOn)
    return right('end of the range')
  }

  /** `before`: the file before it that has the topic. */
  private async readFile(
    file: RecordedFile,
    position: number,
    past: TopicPast,
    before: RecordedFile | undefined,
  ): Promise<Either<HistoryError, ReadingEnd>> {
    const { topic, range, closing, flush, isOneRecorder, isPlayed } = this.past
    const { end } = await file.partOf(range)
    const { priceAt: lastAt } = past
    let isEntered = position === 0
    let isSameRecorder = isOneRecorder
    for await (const entries of file.entries(closing, { start: position, end })) {
      if (isLeft(entries)) return past.now >= range.to ? right('end of the range') : entries
      await flush?.()
      for (const { line, origin } of entries.right) {
        if (line._tag === 'Recording') {
          if (line.at < past.latest && isPlayed?.(origin.source, line) === false)
            return right('end of the range')
          isSameRecorder ??= past.isContinuedBy(line)
          if (isEntered) past.onLine(line)
          else past.enter(line)
          isEntered = true
          continue
        }
        if (line.at >= range.from && !past.isKnown) return right('starts too late')
        if (before !== undefined && isSameRecorder !== true && line.at < lastAt && past.isOf(line))
          return left(
            recordingError(origin.source, origin.lineNumber, encodeRow(line), [
              sameTime(topic, before.source.name),
            ]),
          )
        if (line.at < range.to) past.onLine(line)
        else past.passTime(line.at)
        if (closing.closed) return right('end of the range')
      }
    }
    return right('end of the range')
  }
}

/** Where a reading ends. */
type ReadingEnd = 'starts too late' | 'end of the range'
