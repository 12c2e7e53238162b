import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { emptyRecording, recordingError, unreadableRecording } from '../../errors/constructors.js'
import type { DecodeError, RecordingError } from '../../errors/model.js'
import { decodeHeader, decodeRow, isHeaderLine } from '../format/row-codec.js'
import type { RecordingHeader, Row } from '../format/row.js'
import { maxLineLength, readLines } from './read-lines.js'
import type { OpenableSource } from './source.js'
import { allTimes, isWithin, writtenTime, type TimeRange } from '../format/time-range.js'
import { Timeline, type ReplayTime } from '../format/timeline.js'

/** A line of a recording, and its time in the replay. */
export interface RecordingEntry extends ReplayTime {
  readonly line: Row | RecordingHeader
}

export type EntryResult = Either<RecordingError, RecordingEntry>

/**
 * The entries of the sources that are within the range, headers included, in one iterable per chunk. Each entry is decoded
 * when the consumer pulls it. A line that cannot be read or decoded is a `RecordingError` that names the source and the
 * line, and the last entry.
 */
export async function* readEntries(
  sources: readonly OpenableSource[],
  range: TimeRange,
  closing: Subscription,
): AsyncGenerator<Iterable<EntryResult>, void> {
  const timeline = new Timeline(range)
  if (sources.length === 0) yield [left(emptyRecording('the recording'))]
  for (const source of sources) {
    const decoder = new EntryDecoder(source.name, range, timeline)
    const opened = new Subscription()
    closing.add(opened)
    try {
      for await (const lines of readLines(source.open(opened), opened)) {
        yield decoder.entries(lines)
        if (decoder.failed) return
      }
    } catch (thrown) {
      yield [left(unreadableRecording(source.name, decoder.lineNumber + 1, thrown))]
      return
    } finally {
      opened.unsubscribe()
    }
    if (closing.closed) return
    if (!decoder.started) {
      yield [left(emptyRecording(source.name))]
      return
    }
  }
}

/** Decodes the lines of one source. */
class EntryDecoder {
  /** Number of the last line, from 1. */
  lineNumber = 0
  started = false
  failed = false

  constructor(
    private readonly sourceName: string,
    private readonly range: TimeRange,
    /** Of all sources of the recording. */
    private readonly timeline: Timeline,
  ) {}

  *entries(lines: readonly string[]): Generator<EntryResult, void> {
    for (const text of lines) {
      this.lineNumber++
      if (text.trim() === '' || this.isOutsideRange(text)) continue
      const entry = this.decode(withoutByteOrderMark(text))
      if (entry === undefined) continue
      this.failed = isLeft(entry)
      yield entry
      if (this.failed) return
    }
  }

  /** True if the row need not be decoded, because its time alone excludes it. */
  private isOutsideRange(text: string): boolean {
    if (!this.started || this.range === allTimes) return false
    const at = writtenTime(text)
    return at !== undefined && !isWithin(this.range, at)
  }

  /** Undefined for a row outside of the range. */
  private decode(text: string): EntryResult | undefined {
    if (text.length > maxLineLength) {
      return left(this.error(text, '', `a line of at most ${maxLineLength} characters`, 'more'))
    }
    const decoded = this.decodeLine(text)
    if (isLeft(decoded)) {
      const { input, issues } = decoded.left
      return left(recordingError(this.sourceName, this.lineNumber, input, issues))
    }
    const line = decoded.right
    const isHeader = line._tag === 'Recording'
    if (!isHeader && !isWithin(this.range, line.at)) return undefined
    const time = this.timeline.next(line.at, isHeader)
    return time === undefined
      ? left(
          this.error(text, 'at', 'a time at most 365 days after that of the previous row', String(line.at)),
        )
      : // Not `...time`, which is slow and runs once per row.
        right({ line, time: time.time, skipped: time.skipped })
  }

  /** A recording that was appended to another has a header of its own. */
  private decodeLine(text: string): Either<DecodeError, Row | RecordingHeader> {
    const expectsHeader = !this.started
    this.started = true
    if (expectsHeader) return decodeHeader(text)
    const row = decodeRow(text)
    return isLeft(row) && isHeaderLine(text) ? decodeHeader(text) : row
  }

  private error(input: string, path: string, expected: string, actual: string): RecordingError {
    return recordingError(this.sourceName, this.lineNumber, input, [{ path, expected, actual }])
  }
}

/** Some editors add one to each file. */
const withoutByteOrderMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text)
