import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { emptyRecording, recordingError } from '../codec/errors.js'
import type { DecodeIssue, RecordingError } from '../../../base/errors/model.js'
import { encodeRow } from '../codec/row-codec.js'
import { distinctNames, type RecordingHeader, type Row } from '../codec/row.js'
import { allTimes, Timeline, type TimeRange } from '../codec/timeline.js'
import { wholeFile } from './file-part.js'
import { inTurn, PieceReader } from './in-turn.js'
import {
  lateTime,
  lineInFile,
  readSource,
  Recorder,
  type EntriesResult,
  type RecordingEntry,
  type SourceReading,
} from './read-entries.js'
import type { OpenableSource } from './openable-source.js'

export interface SetReading extends SourceReading {
  /** The range whose parts of plain files are read. Default: `range`. */
  readonly partOf?: TimeRange
  /** True if one recorder has written the files, in this order, which is that of their rows. Default: they are merged. */
  readonly isOneRecorder?: boolean | undefined
  /** Called before the first line of several recordings, with their topics, their mints, and their first start. */
  readonly onHeader?: (header: RecordingHeader) => void
  /** True if the rest of a source, by its name, is left out after its error. Default: the first error is the last result. */
  readonly leavesOut?: ((error: RecordingError, source: string) => boolean | Promise<boolean>) | undefined
}

/**
 * The entries of a set of recordings, in the order in which they are played, in any order of the sources:
 *
 * - The lines of a source keep their order. Sources are in the order of their first rows.
 * - Sources that overlap in time are merged by the `at` of their rows. If two of them have rows of one topic or mint at one time,
 *   the last result is a `RecordingError` that names both.
 * - A source whose first line cannot be read is the last one, with its error.
 *
 * Memory holds one piece of each source that overlaps. A single source is read without a merge.
 */
export async function* readSet(
  sources: readonly OpenableSource[],
  reading: SetReading = {},
): AsyncGenerator<EntriesResult, void> {
  if (sources.length === 0) yield left(emptyRecording('the recording'))
  else if (sources.length === 1 || reading.isOneRecorder === true) {
    const recorder = new Recorder()
    for (const source of sources) yield* readPart(source, reading, recorder)
  } else {
    const feeds = sources.map((source) => new Feed(source, reading))
    for (const feed of feeds) await feed.start()
    feeds.sort((a, b) => a.at - b.at)
    for (const [index, feed] of feeds.entries()) feed.index = index
    const headers = feeds.flatMap(({ header }) => header ?? [])
    if (headers[0] !== undefined) reading.onHeader?.(jointHeader(headers[0], headers))
    yield* new Merge(feeds, reading).entries()
  }
}

/** Of a plain file, only the part with the rows of the range is read. */
async function* readPart(
  source: OpenableSource,
  reading: SetReading,
  recorder?: Recorder,
): AsyncGenerator<EntriesResult, void> {
  const { range = allTimes, partOf = range, leavesOut } = reading
  const part = partOf === allTimes ? wholeFile : await source.partOf(partOf)
  for await (const entries of readSource(source, reading, part, recorder)) {
    if (isLeft(entries) && (await leavesOut?.(entries.left, source.name)) === true) return
    yield entries
  }
}

class Feed extends PieceReader<RecordingEntry> {
  header: RecordingHeader | undefined
  /** The last header that was merged. */
  lastHeader: RecordingHeader | undefined
  failure: RecordingError | undefined
  recorder = new Recorder()
  isOver = false
  /** When its current entry is due, in ms since the Unix epoch. Before it is read, the time of its first row. */
  at = Infinity

  constructor(
    readonly source: OpenableSource,
    private readonly reading: SetReading,
  ) {
    super()
    this.pieces = this.read()
  }

  /** Reads the header, and the first row of a file, which is closed again: there may be thousands. Any other source may be readable only once. */
  async start(): Promise<void> {
    const { source } = this
    if (source.file === undefined) {
      await this.fill()
      if (this.head?.line._tag === 'Recording') this.header = this.head.line
      return
    }
    const opening = await source.opening()
    if (isLeft(opening)) return
    this.header = opening.right.header
    this.at = opening.right.rowAt
  }

  override advance(): void {
    super.advance()
    // The time of a header may be 0, which is due at once.
    if (this.head !== undefined) this.at = this.head.line.at
  }

  isContinuedBy({ continues, topics, mints }: RecordingHeader): boolean {
    const { at, topics: ownTopics, mints: ownMints } = this.lastHeader ?? {}
    return at === continues && ownTopics?.join() === topics.join() && ownMints?.join() === mints.join()
  }

  private async *read(): AsyncGenerator<Iterable<RecordingEntry>, void> {
    for await (const entries of readPart(this.source, this.reading)) {
      if (isLeft(entries)) this.failure = entries.left
      else yield entries.right
    }
  }
}

class Merge {
  private readonly timeline: Timeline
  /** The sources of each topic and mint. The first one has its last row. */
  private readonly owners = new Map<string, readonly Feed[]>()
  private failure: (() => RecordingError | Promise<RecordingError>) | undefined

  constructor(
    private readonly feeds: readonly Feed[],
    private readonly reading: SetReading,
  ) {
    this.timeline = new Timeline(reading.range)
  }

  async *entries(): AsyncGenerator<EntriesResult, void> {
    const inOrder = (a: Feed, b: Feed): number => a.at - b.at || a.index - b.index
    for await (const turns of inTurn(this.feeds, inOrder, (feed) => this.end(feed))) {
      if (this.failure === undefined) yield right(this.piece(turns))
      if (this.failure !== undefined || this.reading.closing?.closed === true) break
    }
    if (this.failure !== undefined) yield left(await this.failure())
  }

  private end(ended: Feed): void {
    const { recorder, failure } = ended
    ended.isOver = true
    recorder.isOver = this.feeds.every((each) => each.recorder !== recorder || each.isOver)
    if (failure !== undefined) this.failure = () => failure
  }

  /** The entries until a source needs its next piece, or a failure. */
  private *piece(turns: Iterable<Feed>): Generator<RecordingEntry, void> {
    for (const feed of turns) {
      if (feed.head === undefined) return
      const { line, origin } = feed.head
      if (line._tag === 'Recording') origin.recorder = this.recorderOf(line, feed)
      const issue = this.issueOf(line, feed)
      const time = issue ?? this.timeline.next(line.at, line._tag === 'Recording') ?? lateTime(line.at)
      if ('expected' in time) {
        const { source, lineNumber, leftOut } = origin
        this.failure = async () =>
          recordingError(source, await lineInFile(lineNumber, leftOut), encodeRow(line), [time])
        return
      }
      yield { line, time: time.time, skipped: time.skipped, origin }
    }
  }

  private issueOf(line: Row | RecordingHeader, feed: Feed): DecodeIssue | undefined {
    if (line._tag !== 'Price' && line._tag !== 'Depth') return undefined
    const name = line._tag === 'Price' ? line.topic : line.mint
    // Most names have no capitals.
    const owners = this.owners.get(name) ?? this.owners.get(name.toLowerCase()) ?? []
    const owner = owners[0]
    if (owner === feed) return undefined
    if (owner !== undefined && owners.includes(feed)) return sameTime(name, owner.source.name)
    this.owners.set(name.toLowerCase(), [feed, ...owners])
    return undefined
  }

  /** That of the source which the header continues, if there is one. */
  private recorderOf(header: RecordingHeader, feed: Feed): Recorder {
    const before = this.feeds.find((each) => each !== feed && each.isContinuedBy(header))
    if (before !== undefined) feed.recorder = before.recorder
    feed.recorder.isOver = false
    feed.lastHeader = header
    return feed.recorder
  }
}

/** Of a row whose topic or mint another source has at the same time. */
const sameTime = (name: string, other: string): DecodeIssue => ({
  path: '',
  expected: `a time of ${name} that no other recording has`,
  actual: `rows of it in ${other} too`,
})

const jointHeader = (first: RecordingHeader, all: readonly RecordingHeader[]): RecordingHeader => {
  const assumed = distinctNames(all.flatMap(({ assumedDepth }) => assumedDepth ?? []))
  const candles = distinctNames(all.flatMap(({ candles: each }) => each ?? []))
  const invalidRows = all.reduce((sum, header) => sum + (header.invalidRows ?? 0), 0)
  return {
    ...first,
    at: Math.min(...all.map(({ at }) => at)),
    topics: distinctNames(all.flatMap(({ topics }) => topics)),
    mints: distinctNames(all.flatMap(({ mints }) => mints)),
    ...(assumed.length === 0 ? {} : { assumedDepth: assumed.join(' or ') }),
    ...(invalidRows === 0 ? {} : { invalidRows }),
    ...(candles.length === 0 ? {} : { candles: candles.join(' and ') }),
  }
}
