import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { emptyRecording, recordingError, unreadableRecording } from '../codec/errors.js'
import type { ConnectionStatus } from '../../../base/domain/snapshot.js'
import type { DecodeError, DecodeIssue, RecordingError } from '../../../base/errors/model.js'
import { LearnedRows } from '../codec/learned-rows.js'
import { decodeHeader, decodeRow, encodeRow, isHeaderLine } from '../codec/row-codec.js'
import type { RecordingHeader, Row } from '../codec/row.js'
import { allTimes, isWithin, Timeline, type ReplayTime, type TimeRange } from '../codec/timeline.js'
import { countLeftOut, firstLineAndPart, wholeFile, type SourceBytes } from './file-part.js'
import { endOfLine, lineEnd, maxLineBytes, readWholeLines } from './whole-lines.js'

/** A line of a recording, and its time in the replay. */
export interface RecordingEntry extends ReplayTime {
  readonly line: Row | RecordingHeader
  readonly origin: EntryOrigin
}

/** Where an entry comes from, until the next entry of its source. */
export interface EntryOrigin {
  readonly source: string
  /** From 1. Without the lines that are left out. */
  readonly lineNumber: number
  /** Counts the lines that are left out after the first line. `undefined` if there are none. */
  readonly leftOut?: (() => Promise<number>) | undefined
  recorder: Recorder
}

/** The writer of one recording, or of several that continue each other, and its state in the reading. */
export class Recorder {
  /** True when it has no further line. */
  isOver = false
  /** In a replay: the time of its last header, in ms since the Unix epoch; `undefined` if it may be in lines that are left out. */
  headerAt: number | undefined = NaN
  /** The time of its last line and the latest time so far, in ms since the Unix epoch; `-Infinity` before the first line. */
  now = -Infinity
  latest = -Infinity
  /** The last status of its client, if the header is earlier. The `End` rows that a close causes do not end the streams. */
  status: ConnectionStatus['_tag'] | undefined
  /** In a replay: added to its epochs, and the latest sum. */
  baseEpoch = 0
  latestEpoch = 0

  /** Time passes up to a line. The time of a header may be unknown. */
  passTime({ _tag, at }: Row | RecordingHeader): void {
    if (_tag !== 'Recording' || at > this.now) this.now = at
    if (at > this.latest) this.latest = at
  }
}

/** True for the header of a file of which a part is read: lines between it and the next line may be left out. */
export const isPartial = (origin: EntryOrigin) => origin.lineNumber === 1 && origin.leftOut !== undefined

/** True for a header that continues the last one; without `headerAt`, one that is left out, and earlier than the last line, of the time `now`. */
export const isContinuation = (continues = NaN, headerAt: number | undefined, now: number): boolean =>
  headerAt === undefined ? now > continues || (now === -Infinity && continues > now) : continues === headerAt

/** The number of a line in its file, from 1. Never rejects. */
export const lineInFile = async (line: number, leftOut: EntryOrigin['leftOut']): Promise<number> =>
  line > 1 && leftOut !== undefined ? line + (await leftOut().catch(() => 0)) : line

/** The entries of a piece of the text, or the error that ends the recording. */
export type EntriesResult = Either<RecordingError, Iterable<RecordingEntry>>

export interface SourceReading {
  /** Default: all times. */
  readonly range?: TimeRange
  /** Ends the reading. */
  readonly closing?: Subscription
  /** True if a last row without a line end, which a crash has cut off, is skipped. Default: it is an error. */
  readonly allowsCut?: boolean
}

/**
 * The entries of a source that are within the range, headers included. Each entry is decoded when the consumer pulls it. A
 * line that cannot be read or decoded is a `RecordingError` that names the source and the line, and the last result.
 *
 * `part`: the part of a plain file that is read after its first line.
 */
export async function* readSource(
  source: SourceBytes,
  { range = allTimes, closing = new Subscription(), allowsCut = false }: SourceReading = {},
  part = wholeFile,
  recorder = new Recorder(),
): AsyncGenerator<EntriesResult, void> {
  const { name, file } = source
  const leftOut = file && part.start > 0 ? () => countLeftOut(file, part.start) : undefined
  const decoder = new EntryDecoder(name, range, recorder, leftOut)
  const isWhole = file === undefined || (part.start === 0 && part.end === Infinity)
  try {
    const chunks = isWhole ? source.open(closing) : firstLineAndPart(file, part)
    for await (const lines of readWholeLines(chunks, closing)) {
      yield right(decoder.entries(lines))
      const { failure } = decoder
      if (failure === undefined || (allowsCut && failure.line > 1 && isCut(lines))) continue
      yield left(recordingError(name, await lineInFile(failure.line, leftOut), failure.input, failure.issues))
      return
    }
  } catch (thrown) {
    yield left(unreadableRecording(name, await lineInFile(decoder.lineNumber + 1, leftOut), thrown))
    return
  }
  if (!closing.closed && !decoder.started) yield left(emptyRecording(name))
}

/** True for a last line that has no line end. */
const isCut = (lines: Uint8Array): boolean => lines.length <= maxLineBytes && lines.at(-1) !== lineEnd

class EntryDecoder implements EntryOrigin {
  /** Number of the last line, from 1. */
  lineNumber = 0
  started = false
  failure: RecordingError | undefined
  private readonly timeline: Timeline
  private readonly learnedRows = new LearnedRows()
  private readonly decoder = new TextDecoder()

  constructor(
    readonly source: string,
    private readonly range: TimeRange,
    public recorder: Recorder,
    readonly leftOut: EntryOrigin['leftOut'],
  ) {
    this.timeline = new Timeline(range)
  }

  /** The entries of whole lines, up to the first failure. Not a generator, which costs more for each row. */
  entries(bytes: Uint8Array): Iterable<RecordingEntry> {
    let at = 0
    const next = (): IteratorResult<RecordingEntry, undefined> => {
      while (at < bytes.length && this.failure === undefined) {
        const start = at
        this.lineNumber++
        const row = this.started ? this.learnedRows.recognise(bytes, start) : undefined
        at = row === undefined ? endOfLine(bytes, start) : this.learnedRows.end
        const value = row === undefined ? this.decode(bytes, start, at) : this.entryOf(row)
        if (value !== undefined) return { done: false, value }
      }
      return { done: true, value: undefined }
    }
    return { [Symbol.iterator]: () => ({ next }) }
  }

  /** Undefined for an empty line, for a row outside of the range, and after a failure. */
  private decode(bytes: Uint8Array, start: number, end: number): RecordingEntry | undefined {
    // Without its line end, and without the byte order mark that some editors add to each file.
    const line = this.decoder.decode(bytes.subarray(start, bytes[end - 1] === lineEnd ? end - 1 : end))
    if (line.trim() === '') return undefined
    if (end - start > maxLineBytes)
      return this.fail(line, {
        path: '',
        expected: `a line of at most ${maxLineBytes} bytes`,
        actual: 'more',
      })
    const decoded = this.decodeLine(line)
    if (isLeft(decoded)) return this.fail(decoded.left.input, ...decoded.left.issues)
    if (decoded.right._tag !== 'Recording') this.learnedRows.learn(line, decoded.right)
    return this.entryOf(decoded.right)
  }

  /** Undefined for a row outside of the range, and after a failure. */
  private entryOf(line: Row | RecordingHeader): RecordingEntry | undefined {
    const isHeader = line._tag === 'Recording'
    if (!isHeader && !isWithin(this.range, line.at)) return undefined
    const time = this.timeline.next(line.at, isHeader)
    // Not `...time`, which is slow and runs once per row.
    if (time !== undefined) return { line, time: time.time, skipped: time.skipped, origin: this }
    return this.fail(encodeRow(line), lateTime(line.at))
  }

  /** A recording that was appended to another recording has its own header. */
  private decodeLine(line: string): Either<DecodeError, Row | RecordingHeader> {
    const expectsHeader = !this.started
    this.started = true
    if (expectsHeader) return decodeHeader(line)
    const row = decodeRow(line)
    return isLeft(row) && isHeaderLine(line) ? decodeHeader(line) : row
  }

  private fail(input: string, ...issues: readonly DecodeIssue[]): RecordingEntry | undefined {
    this.failure = recordingError(this.source, this.lineNumber, input, issues)
    return undefined
  }
}

/** Of a row that is more than 365 days later than its predecessor. */
export const lateTime = (at: number): DecodeIssue => ({
  path: 'at',
  expected: 'a time at most 365 days after that of the previous row',
  actual: String(at),
})
