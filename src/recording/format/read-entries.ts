import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import { recordingError } from '../../errors/constructors.js'
import type { DecodeError, RecordingError } from '../../errors/model.js'
import { causeOf } from '../../errors/failure-cause.js'
import { maxLineLength, readLines, type RecordingSource } from './read-lines.js'
import { decodeHeader, decodeRow, isHeaderLine } from './row-codec.js'
import type { RecordingHeader, Row } from './row.js'
import { Timeline, type ReplayTime } from './timeline.js'

/** A line of a recording, and its time in the replay. */
export interface RecordingEntry extends ReplayTime {
  readonly line: Row | RecordingHeader
}

export type EntryResult = Either<RecordingError, RecordingEntry>

/**
 * The entries of a recording, header first, in one iterable per chunk of the source. Each entry is decoded when the
 * consumer pulls it. A line that cannot be read or decoded is a `RecordingError` with the line number, and the last entry.
 */
export async function* readEntries(
  source: RecordingSource,
  closing: Subscription,
): AsyncGenerator<Iterable<EntryResult>, void> {
  const decoder = new EntryDecoder()
  try {
    for await (const lines of readLines(source, closing)) {
      yield decoder.entries(lines)
      if (decoder.failed) return
    }
    if (!decoder.started) yield [left(unreadable(1, 'a recording', 'nothing'))]
  } catch (thrown) {
    yield [left(unreadable(decoder.lineNumber + 1, 'a line that can be read', causeOf(thrown).message))]
  }
}

class EntryDecoder {
  /** Number of the last line, from 1. */
  lineNumber = 0
  started = false
  failed = false
  private readonly timeline = new Timeline()

  private decode(text: string): EntryResult {
    if (text.length > maxLineLength) {
      return left(this.error(text, '', `a line of at most ${maxLineLength} characters`, 'more'))
    }
    const decoded = this.decodeLine(text)
    if (isLeft(decoded)) return left(recordingError(this.lineNumber, decoded.left.input, decoded.left.issues))
    const line = decoded.right
    const time = this.timeline.next(line.at, line._tag === 'Recording')
    return time === undefined
      ? left(
          this.error(text, 'at', 'a time at most 365 days after that of the previous row', String(line.at)),
        )
      : // Not `...time`, which is slow and runs once per row.
        right({ line, time: time.time, skipped: time.skipped })
  }

  *entries(lines: readonly string[]): Generator<EntryResult, void> {
    for (const text of lines) {
      this.lineNumber++
      if (text.trim() === '') continue
      const entry = this.decode(withoutByteOrderMark(text))
      this.failed = isLeft(entry)
      yield entry
      if (this.failed) return
    }
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
    return recordingError(this.lineNumber, input, [{ path, expected, actual }])
  }
}

/** Some editors add one to each file. */
const withoutByteOrderMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text)

const unreadable = (line: number, expected: string, actual: string): RecordingError =>
  recordingError(line, '', [{ path: '', expected, actual }])
