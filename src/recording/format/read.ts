import { isLeft, left, type Either } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import { recordingError } from '../../errors/constructors.js'
import type { DecodeError, RecordingError } from '../../errors/model.js'
import { oneLine } from '../../errors/text.js'
import { linesOf, type RecordingSource } from './lines.js'
import { decodeHeader, decodeRow, type RecordingHeader, type Row } from './row.js'

export type RecordingEntry = Either<RecordingError, Row | RecordingHeader>

/**
 * What a recording says, entry by entry, as many at once as a piece of the source brings, decoded when they are asked
 * for. The first is its header. What cannot be understood, or read, is an error that names the line, and the last entry.
 */
export async function* entriesOf(
  source: RecordingSource,
  closing: Subscription,
): AsyncGenerator<Iterable<RecordingEntry>, void> {
  const reader = new Reader()
  try {
    for await (const lines of linesOf(source, closing)) {
      yield reader.entries(lines)
      if (reader.failed) return
    }
    if (!reader.begun) yield [left(damage(1, '', 'a recording', 'nothing'))]
  } catch (thrown) {
    const problem = thrown instanceof Error ? thrown.message : String(thrown)
    yield [left(damage(reader.line + 1, '', 'a line that can be read', oneLine(problem)))]
  }
}

/** How a header begins, whoever wrote it. */
const header = /^\s*\{\s*"_tag"\s*:\s*"Recording"/

class Reader {
  line = 0
  begun = false
  failed = false

  /** A recorder that was started again writes a header again. */
  private decode(text: string): Either<DecodeError, Row | RecordingHeader> {
    const isHeader = !this.begun || header.test(text)
    this.begun = true
    return isHeader ? decodeHeader(text) : decodeRow(text)
  }

  *entries(lines: readonly string[]): Generator<RecordingEntry, void> {
    for (const text of lines) {
      this.line++
      if (text.trim() === '') continue
      const decoded = this.decode(text)
      this.failed = isLeft(decoded)
      yield isLeft(decoded) ? left(recordingErrorOf(this.line, decoded.left)) : decoded
      if (this.failed) return
    }
  }
}

const recordingErrorOf = (line: number, { input, issues }: DecodeError): RecordingError =>
  recordingError(line, input, issues)

const damage = (line: number, input: string, expected: string, actual: string): RecordingError =>
  recordingError(line, input, [{ path: '', expected, actual }])
