import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import type { EmitPast } from '../../../base/domain/past.js'
import type { Topic } from '../../../base/domain/topic.js'
import { systemClock } from '../../../base/time/system-clock.js'
import { emptyRecording, unknownTopic } from '../../../base/errors/constructors.js'
import type { HistoryError, RecordingError } from '../../../base/errors/model.js'
import { encodeRow } from '../format/row-codec.js'
import type { RecordingHeader, Row } from '../format/row.js'
import type { TimeRange } from '../format/timeline.js'
import type { RecordedFile, StartedFile } from './recorded-file.js'
import { clockTolerance } from './row-times.js'
import { TopicPast } from './topic-past.js'

/**
 * Initial number of bytes by which a reading starts earlier, if it is unknown whether the topic had a price at `from`.
 */
const firstStep = 2 ** 20

export type Line = RecordingHeader | Row

/**
 * Called for each line in order. True for the lines from a step back of the clock on that follow `last`, the last line of a
 * replay so far.
 */
export const afterLast = (last: Line | undefined): ((line: Line) => boolean) => {
  if (last === undefined) return () => false
  const text = encodeRow(last)
  let isPassed = false
  let isAfter = false
  return (line) => {
    isAfter ||= isPassed && line.at < last.at
    isPassed ||= line.at === last.at && encodeRow(line) === text
    return isAfter
  }
}

/** Where a reading starts. */
interface Cursor {
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

/**
 * Reads the past of a topic within a range: the lines of that time, and earlier lines back to the one that decides
 * whether the topic had a price at the start of the range. Other files are excluded by name or header.
 */
export class PastReading {
  constructor(
    private readonly topic: Topic,
    private readonly range: TimeRange,
    private readonly emit: EmitPast,
    /** Ends the reading. */
    private readonly closing: Subscription,
    /** Called before each chunk of a file is decoded, which waits for the promise. */
    private readonly flush: () => Promise<void> | undefined = () => undefined,
    /** True if the last row is the current state, because the topic is being recorded. */
    private readonly isRecordedOn = false,
    /** The last line of a replay so far: lines after it are not read. */
    private readonly last?: Line,
  ) {}

  /** Resolves at the end of the range, or with the error that ends the reading. */
  async read(ordered: readonly StartedFile[]): Promise<Either<HistoryError, unknown>> {
    let cursor = await this.firstCursor(ordered)
    while (isRight(cursor)) {
      const reading = await this.readFrom(cursor.right, ordered)
      if (isLeft(reading) || reading.right !== 'starts too late') return reading
      cursor = await this.cursorBefore(cursor.right, ordered)
    }
    return cursor
  }

  private async firstCursor(ordered: readonly StartedFile[]): Promise<Either<RecordingError, Cursor>> {
    const { from } = this.range
    const last = ordered.findLastIndex(({ start }) => start <= from)
    let index = await this.lastIndex(ordered, last + 1, ({ at }) => at <= from)
    // If the clock was set back between two files, the first one has later rows. Damage to it does not end the reading.
    while (isRight(index) && index.right > 0) {
      const before = await this.lastIndex(ordered, index.right)
      const latest = isLeft(before) ? before : await ordered[before.right]?.file.latest()
      if (latest === undefined || isLeft(latest) || latest.right < from) break
      index = before
    }
    if (isLeft(index)) return index
    const position = await ordered[index.right]?.file.positionOf(from)
    return right({ index: index.right, position: position ?? 0, step: firstStep })
  }

  private async cursorBefore(
    { index, position, step }: Cursor,
    ordered: readonly StartedFile[],
  ): Promise<Either<RecordingError, Cursor>> {
    if (position > 0) return right({ index, position: Math.max(0, position - step), step: 4 * step })
    const previous = await this.lastIndex(ordered, index)
    if (isLeft(previous)) return previous
    const end = await ordered[previous.right]?.file.end()
    return right({
      index: previous.right,
      position: Math.max(0, (end ?? 0) - firstStep),
      step: 4 * firstStep,
    })
  }

  /** The index of the last file with the topic, of those before `end`; 0 without such a file. */
  private async lastIndex(
    ordered: readonly StartedFile[],
    end: number,
    isEarly: (header: RecordingHeader) => boolean = () => true,
  ): Promise<Either<RecordingError, number>> {
    let index = end - 1
    for (let started = ordered[index]; started !== undefined && index > 0; started = ordered[--index]) {
      const { file } = started
      const header = await file.header()
      if (isLeft(header)) return header
      const isIn = isEarly(header.right) ? await file.has(this.topic) : right(false)
      if (isLeft(isIn)) return isIn
      if (isIn.right) return right(index)
    }
    return right(0)
  }

  /** `starts too late`: no event was emitted, because it is unknown whether the topic had a price at `from`. */
  private async readFrom(
    { index, position }: Cursor,
    ordered: readonly StartedFile[],
  ): Promise<Either<HistoryError, ReadingEnd>> {
    const { to } = this.range
    const past = new TopicPast(this.topic, this.emit, this.range, index === 0 && position === 0)
    const isUnplayed = afterLast(this.last)
    const otherTopics = new Set<string>()
    let isKnownTopic = false
    let isNext = true
    const now = systemClock().wallClock()
    for (const [offset, started] of ordered.slice(index).entries()) {
      if (this.closing.closed) break
      const { start } = started
      // Only a step back of the clock leads from a later file to the range: of the next one, or of a clock that was ahead.
      const mayStep = isNext || start > now
      if (start >= to) isNext = false
      if (start >= to && past.latest >= to && !(mayStep && (await started.file.stepsBack()))) continue
      const { file } = started
      const header = await file.header()
      if (isLeft(header)) return header
      const isIn = await file.has(this.topic)
      if (isLeft(isIn)) return isIn
      if (isIn.right) {
        isKnownTopic = true
        const end = await this.readFile(file, offset === 0 ? position : 0, past, isUnplayed)
        if (isLeft(end) || end.right === 'starts too late') return end
      } else for (const topic of header.right.topics) otherTopics.add(topic)
    }
    // A file that has the topic is never after the cursor, unless the cursor is at the first file.
    if (!isKnownTopic) return left(unknownTopic(this.topic, [...otherTopics]))
    past.finish(this.isRecordedOn)
    return right('end of the range')
  }

  private async readFile(
    file: RecordedFile,
    position: number,
    past: TopicPast,
    isUnplayed: (line: Line) => boolean,
  ): Promise<Either<HistoryError, ReadingEnd>> {
    const { from, to } = this.range
    const canStop = !(await file.stepsBack()) && file.isSeekable
    /** Number of rows after the range, since the last one within it. */
    let later = 0
    let isEntered = position === 0
    for await (const entries of file.entries(position, this.closing)) {
      if (isLeft(entries)) return later > 0 ? right('end of the range') : entries
      await this.flush()
      for (const { line } of entries.right) {
        const isHeader = line._tag === 'Recording'
        if (isUnplayed(line)) return right('end of the range')
        if (isHeader && !isEntered) {
          past.enter(line)
          isEntered = true
          continue
        }
        if (!isHeader && line.at >= from && !past.isKnown) return right('starts too late')
        if (isHeader || line.at < to) past.onLine(line)
        else past.passTime(line.at)
        later = line.at >= to ? later + 1 : 0
        if (canStop && line.at >= to + clockTolerance && later > maxLater) return right('end of the range')
        if (this.closing.closed) return right('end of the range')
      }
    }
    return right('end of the range')
  }
}

/** Where a reading ends. */
type ReadingEnd = 'starts too late' | 'end of the range'

/** A step back of the clock within so many rows is found, although the file looks as if its times ascend. */
const maxLater = 500
