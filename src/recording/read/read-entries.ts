import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { emptyRecording, recordingError, unreadableRecording } from '../../errors/constructors.js'
import type { DecodeError, RecordingError } from '../../errors/model.js'
import { PriceRows } from '../format/price-rows.js'
import { decodeHeader, decodeRow, isHeaderLine } from '../format/row-codec.js'
import type { RecordingHeader, Row } from '../format/row.js'
import { lineEnd, maxLineLength, readWholeLines } from './whole-lines.js'
import type { OpenableSource } from './source.js'
import { allTimes, isWithin, writtenTime, type TimeRange } from '../format/time-range.js'
import { Timeline, type ReplayTime } from '../format/timeline.js'

/** A line of a recording, and its time in the replay. */
export interface RecordingEntry extends ReplayTime {
  readonly line: Row | RecordingHeader
}

/** The entries of a piece of the text, or the error that ends the recording. */
export type EntriesResult = Either<RecordingError, Iterable<RecordingEntry>>

/**
 * The entries of the sources that are within the range, headers included. Each entry is decoded when the consumer pulls
 * it. A line that cannot be read or decoded is a `RecordingError` that names the source and the line, and the last result.
 */
export async function* readEntries(
  sources: readonly OpenableSource[],
  range: TimeRange,
  closing: Subscription,
): AsyncGenerator<EntriesResult, void> {
  const timeline = new Timeline(range)
  if (sources.length === 0) yield left(emptyRecording('the recording'))
  for (const source of sources) {
    const decoder = new EntryDecoder(source.name, range, timeline)
    const opened = new Subscription()
    closing.add(opened)
    try {
      for await (const lines of readWholeLines(source.open(opened), opened)) {
        yield right(decoder.entries(lines))
        if (decoder.failure === undefined) continue
        yield left(decoder.failure)
        return
      }
    } catch (thrown) {
      yield left(unreadableRecording(source.name, decoder.lineNumber + 1, thrown))
      return
    } finally {
      opened.unsubscribe()
    }
    if (closing.closed) return
    if (!decoder.started) {
      yield left(emptyRecording(source.name))
      return
    }
  }
}

/** Decodes the lines of one source. */
class EntryDecoder {
  /** Number of the last line, from 1. */
  lineNumber = 0
  started = false
  failure: RecordingError | undefined
  private readonly priceRows = new PriceRows()
  private readonly decoder = new TextDecoder()

  constructor(
    private readonly sourceName: string,
    private readonly range: TimeRange,
    /** Of all sources of the recording. */
    private readonly timeline: Timeline,
  ) {}

  /** The entries of whole lines, up to the first failure. */
  *entries(bytes: Uint8Array): Generator<RecordingEntry, void> {
    for (let start = 0, end = 0; start < bytes.length && this.failure === undefined; start = end) {
      this.lineNumber++
      const row = this.started ? this.priceRows.recognise(bytes, start) : undefined
      end = row === undefined ? endOfLine(bytes, start) : this.priceRows.end
      const entry = row === undefined ? this.decode(bytes, start, end) : this.entryOf(row, bytes, start, end)
      if (entry !== undefined) yield entry
    }
  }

  /** Undefined for an empty line, for a row outside of the range, and after a failure. */
  private decode(bytes: Uint8Array, start: number, end: number): RecordingEntry | undefined {
    const line = this.textOf(bytes, start, end)
    if (line.trim() === '' || this.isOutsideRange(line)) return undefined
    if (line.length > maxLineLength) {
      this.fail(line, '', `a line of at most ${maxLineLength} characters`, 'more')
      return undefined
    }
    const decoded = this.decodeLine(line)
    if (isLeft(decoded)) {
      const { input, issues } = decoded.left
      this.failure = recordingError(this.sourceName, this.lineNumber, input, issues)
      return undefined
    }
    if (decoded.right._tag === 'Price') this.priceRows.learn(line, decoded.right)
    return this.entryOf(decoded.right, bytes, start, end)
  }

  /** True if the row need not be decoded, because its time alone excludes it. */
  private isOutsideRange(line: string): boolean {
    if (!this.started || this.range === allTimes) return false
    const at = writtenTime(line)
    return at !== undefined && !isWithin(this.range, at)
  }

  /** Undefined for a row outside of the range, and after a failure. */
  private entryOf(
    line: Row | RecordingHeader,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): RecordingEntry | undefined {
    const isHeader = line._tag === 'Recording'
    if (!isHeader && !isWithin(this.range, line.at)) return undefined
    const time = this.timeline.next(line.at, isHeader)
    // Not `...time`, which is slow and runs once per row.
    if (time !== undefined) return { line, time: time.time, skipped: time.skipped }
    const expected = 'a time at most 365 days after that of the previous row'
    this.fail(this.textOf(bytes, start, end), 'at', expected, String(line.at))
    return undefined
  }

  /** A recording that was appended to another has a header of its own. */
  private decodeLine(line: string): Either<DecodeError, Row | RecordingHeader> {
    const expectsHeader = !this.started
    this.started = true
    if (expectsHeader) return decodeHeader(line)
    const row = decodeRow(line)
    return isLeft(row) && isHeaderLine(line) ? decodeHeader(line) : row
  }

  /** The text of a line, without its line end, and without the byte order mark that some editors add to each file. */
  private textOf(bytes: Uint8Array, start: number, end: number): string {
    return this.decoder.decode(bytes.subarray(start, bytes[end - 1] === lineEnd ? end - 1 : end))
  }

  private fail(input: string, path: string, expected: string, actual: string): void {
    this.failure = recordingError(this.sourceName, this.lineNumber, input, [{ path, expected, actual }])
  }
}

/** The index after the line that starts at an index, and after its line end. */
const endOfLine = (bytes: Uint8Array, start: number): number => {
  const at = bytes.indexOf(lineEnd, start)
  return at < 0 ? bytes.length : at + 1
}
