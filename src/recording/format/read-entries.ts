import { isLeft, left, type Either } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import { recordingError } from '../../errors/constructors.js'
import type { DecodeError, RecordingError } from '../../errors/model.js'
import { oneLine } from '../../errors/text.js'
import { readLines, type RecordingSource } from './read-lines.js'
import { decodeHeader, decodeRow } from './row-codec.js'
import type { RecordingHeader, Row } from './row.js'

export type RecordingEntry = Either<RecordingError, Row | RecordingHeader>

/**
 * The entries of a recording, header first, in one iterable per chunk of the source. Each entry is decoded when the
 * consumer pulls it. A line that cannot be read or decoded is a `RecordingError` with the line number, and the last entry.
 */
export async function* readEntries(
  source: RecordingSource,
  closing: Subscription,
): AsyncGenerator<Iterable<RecordingEntry>, void> {
  const decoder = new EntryDecoder()
  try {
    for await (const lines of readLines(source, closing)) {
      yield decoder.entries(lines)
      if (decoder.failed) return
    }
    if (!decoder.started) yield [left(unreadable(1, 'a recording', 'nothing'))]
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    yield [left(unreadable(decoder.line + 1, 'a line that can be read', oneLine(message)))]
  }
}

/** Start of a header line, with any JSON whitespace. */
const headerStart = /^\s*\{\s*"_tag"\s*:\s*"Recording"/

class EntryDecoder {
  /** Number of the last line, from 1. */
  line = 0
  started = false
  failed = false

  /** A recording that was appended to another has a header of its own. */
  private decode(text: string): Either<DecodeError, Row | RecordingHeader> {
    const isHeader = !this.started || headerStart.test(text)
    this.started = true
    return isHeader ? decodeHeader(text) : decodeRow(text)
  }

  *entries(lines: readonly string[]): Generator<RecordingEntry, void> {
    for (const text of lines) {
      this.line++
      if (text.trim() === '') continue
      const decoded = this.decode(text)
      this.failed = isLeft(decoded)
      yield isLeft(decoded) ? left(toRecordingError(this.line, decoded.left)) : decoded
      if (this.failed) return
    }
  }
}

const toRecordingError = (line: number, { input, issues }: DecodeError): RecordingError =>
  recordingError(line, input, issues)

const unreadable = (line: number, expected: string, actual: string): RecordingError =>
  recordingError(line, '', [{ path: '', expected, actual }])
