import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { emptyRecording, recordingError } from '../codec/errors.js'
import type { DecodeIssue, RecordingError } from '../../../base/errors/model.js'
import { encodeRow } from '../codec/row-codec.js'
import type { RecordingHeader, Row } from '../codec/row.js'
import { allTimes, Timeline, type TimeRange } from '../codec/timeline.js'
import { wholeFile } from './file-part.js'
import { lateTime, Recorder, type EntriesResult, type RecordingEntry } from './read-entries.js'
import { RecordedFile } from './recorded-file.js'
import type { OpenableSource } from './source.js'
import { PriorityQueue } from './priority-queue.js'

/** How a set of recordings is read. */
export interface SetReading {
  readonly range: TimeRange
  /** Ends the reading. */
  readonly closing: Subscription
  /** Called before the first line of several recordings, with their topics, their mints, and their first start. */
  readonly onHeader?: (header: RecordingHeader) => void
  /** Receives the errors of sources of several, of which the rest is then left out. Default: the first error is the last result. */
  readonly onDamage?: (error: RecordingError) => void
  /** True if a last row that a crash has cut off is skipped. Default: it is an error. */
  readonly allowsCut?: boolean
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
  reading: SetReading,
): AsyncGenerator<EntriesResult, void> {
  const { range, closing, onHeader, allowsCut } = reading
  const [source] = sources
  if (source === undefined) yield left(emptyRecording('the recording'))
  else if (sources.length === 1) yield* readRange(source, range, closing, allowsCut)
  else {
    const feeds: Feed[] = []
    for (const each of sources) {
      const feed = new Feed(each, reading)
      await feed.start()
      feeds.push(feed)
    }
    feeds.sort((a, b) => a.at - b.at)
    for (const [index, feed] of feeds.entries()) feed.index = index
    const headers = feeds.flatMap(({ header }) => header ?? [])
    if (headers[0] !== undefined) onHeader?.(jointHeader(headers[0], headers))
    yield* new Merge(feeds, reading).entries()
  }
}

/** Of a plain file, only the part with the rows of the range is read. */
async function* readRange(
  source: OpenableSource,
  range: TimeRange,
  closing: Subscription,
  allowsCut = false,
): AsyncGenerator<EntriesResult, void> {
  const file = new RecordedFile(source)
  const part = range === allTimes ? wholeFile : await file.partOf(range)
  yield* file.entries(closing, part, allowsCut, range)
}

/** The entries of one source, one by one. */
class Feed {
  /** When its current entry is due, in ms since the Unix epoch. Before it is read, the time of its first row. */
  at = Infinity
  /** Of entries that are due at one time, those of the lower index are first. */
  index = 0
  header: RecordingHeader | undefined
  /** `undefined` before `fill`, and after the last entry of a piece. */
  head: RecordingEntry | undefined
  failure: RecordingError | undefined
  recorder = new Recorder()
  isOver = false
  private results: AsyncGenerator<EntriesResult, void> | undefined
  private piece: Iterator<RecordingEntry, unknown> | undefined

  constructor(
    readonly source: OpenableSource,
    private readonly reading: SetReading,
  ) {}

  /**
   * Reads the header, and of a file the time of the first row. A file is closed again, because there may be thousands. Any other
   * source may be readable only once, and stays open.
   */
  async start(): Promise<void> {
    const { source, reading } = this
    const opened = new Subscription()
    reading.closing.add(opened)
    const isFile = source.file !== undefined
    this.results = this.read(opened, isFile ? allTimes : reading.range)
    await this.fill()
    const line = this.head?.line
    if (line?._tag !== 'Recording') return
    this.header = line
    this.at = line.at === 0 ? -Infinity : line.at
    if (!isFile) return
    this.advance()
    await this.fill()
    this.at = this.head?.line.at ?? this.at
    this.head = undefined
    this.results = undefined
    this.failure = undefined
    opened.unsubscribe()
  }

  /** Resolves to false if there is no further entry. */
  async fill(): Promise<boolean> {
    this.results ??= this.read(this.reading.closing, this.reading.range)
    while (this.head === undefined) {
      const { done, value } = await this.results.next()
      if (done === true) return false
      if (isLeft(value)) {
        this.failure = value.left
        return false
      }
      this.piece = value.right[Symbol.iterator]()
      this.advance()
    }
    return true
  }

  advance(): RecordingEntry | undefined {
    const next = this.piece?.next()
    this.head = next?.done === false ? next.value : undefined
    const line = this.head?.line
    // A header whose time is unknown is due at once.
    if (line !== undefined) this.at = line._tag === 'Recording' && line.at === 0 ? -Infinity : line.at
    return this.head
  }

  private read(closing: Subscription, range: TimeRange): AsyncGenerator<EntriesResult, void> {
    return readRange(this.source, range, closing, this.reading.allowsCut)
  }
}

const inOrder = (a: Feed, b: Feed): number => a.at - b.at || a.index - b.index

/** The source that has the rows of a topic or mint at the current time, and those that had them before. */
interface Owner {
  feed: Feed
  /** The latest time of the rows so far, in ms since the Unix epoch. */
  latest: number
  /** The source before it. */
  before?: Owner
}

/** Merges sources by the `at` of their lines. */
class Merge {
  private readonly timeline: Timeline
  private readonly queue: PriorityQueue<Feed>
  /** By each spelling of a topic or mint. */
  private readonly owners = new Map<string, Owner>()
  private failure: RecordingError | undefined

  constructor(
    private readonly feeds: readonly Feed[],
    private readonly reading: SetReading,
  ) {
    this.timeline = new Timeline(reading.range)
    this.queue = new PriorityQueue(inOrder, [...feeds])
  }

  async *entries(): AsyncGenerator<EntriesResult, void> {
    const { queue, reading } = this
    for (let feed = queue.peek(); feed !== undefined; feed = queue.peek()) {
      if (feed.head === undefined) {
        queue.pop()
        if (await feed.fill()) queue.push(feed)
        else this.end(feed)
      } else yield right(this.piece())
      if (this.failure === undefined && !reading.closing.closed) continue
      if (this.failure !== undefined) yield left(this.failure)
      return
    }
  }

  private end(ended: Feed): void {
    const { recorder, failure } = ended
    ended.isOver = true
    recorder.isOver = this.feeds.every((each) => each.recorder !== recorder || each.isOver)
    if (failure !== undefined && this.reading.onDamage === undefined) this.failure = failure
    else if (failure !== undefined) this.reading.onDamage?.(failure)
  }

  /** The entries until a source needs its next piece. */
  private *piece(): Generator<RecordingEntry, void> {
    const { queue } = this
    for (;;) {
      const feed = queue.peek()
      if (feed?.head === undefined) return
      queue.pop()
      const other = queue.peek()
      let head: RecordingEntry | undefined = feed.head
      while (head !== undefined && (other === undefined || inOrder(feed, other) < 0)) {
        const entry = this.entryOf(head, feed)
        if (entry === undefined) return
        yield entry
        head = feed.advance()
      }
      queue.push(feed)
    }
  }

  /** `undefined` after a failure. */
  private entryOf({ line, origin }: RecordingEntry, feed: Feed): RecordingEntry | undefined {
    const isHeader = line._tag === 'Recording'
    if (isHeader) this.continueRecorder(line, feed)
    else if (line._tag === 'Price' || line._tag === 'Depth') {
      const name = line._tag === 'Price' ? line.topic : line.mint
      const other = this.otherOwner(name, line.at, feed)
      if (other !== undefined) {
        this.fail(line, feed, sameTime(name, other.source.name))
        return undefined
      }
    }
    const time = this.timeline.next(line.at, isHeader)
    if (time === undefined) {
      this.fail(line, feed, lateTime(line.at))
      return undefined
    }
    origin.recorder = feed.recorder
    return { line, time: time.time, skipped: time.skipped, origin }
  }

  /** The recorder of a source is that of the source which its header continues. */
  private continueRecorder(header: RecordingHeader, feed: Feed): void {
    const before =
      header.continues === undefined
        ? undefined
        : this.feeds.find((each) => each !== feed && isContinuedBy(each.recorder.header, header))
    if (before !== undefined) feed.recorder = before.recorder
    feed.recorder.isOver = false
    feed.recorder.header = header
  }

  /** Another source that has rows of the topic or mint at or after this time. A recorder's clock may step back between its files. */
  private otherOwner(name: string, at: number, feed: Feed): Feed | undefined {
    const owner = this.ownerOf(name, feed)
    if (owner.feed !== feed) {
      for (let { before } = owner; before !== undefined; { before } = before)
        if (before.feed === feed) return owner.feed
      owner.before = { ...owner }
      owner.feed = feed
    }
    const { before } = owner
    if (at > owner.latest) owner.latest = at
    return before !== undefined && at < before.latest && before.feed.recorder !== feed.recorder
      ? before.feed
      : undefined
  }

  private ownerOf(name: string, feed: Feed): Owner {
    const known = this.owners.get(name)
    if (known !== undefined) return known
    const key = name.toLowerCase()
    const owner = this.owners.get(key) ?? { feed, latest: -Infinity }
    this.owners.set(key, owner)
    this.owners.set(name, owner)
    return owner
  }

  private fail(row: Row | RecordingHeader, feed: Feed, issue: DecodeIssue): void {
    const { source, lineNumber } = feed.head?.origin ?? { source: feed.source.name, lineNumber: 1 }
    this.failure = recordingError(source, lineNumber, encodeRow(row), [issue])
  }
}

const isContinuedBy = (before: RecordingHeader | undefined, after: RecordingHeader): boolean =>
  before !== undefined &&
  after.continues === before.at &&
  before.topics.join() === after.topics.join() &&
  before.mints.join() === after.mints.join()

/** Of a row whose topic or mint another source has at the same time. */
export const sameTime = (name: string, other: string): DecodeIssue => ({
  path: '',
  expected: `a time of ${name} that no other recording has`,
  actual: `rows of it in ${other} too`,
})

const jointHeader = (first: RecordingHeader, all: readonly RecordingHeader[]): RecordingHeader => {
  const assumed = distinct(all.flatMap(({ assumedDepth }) => assumedDepth ?? []))
  const candles = distinct(all.flatMap(({ candles: each }) => each ?? []))
  const invalidRows = all.reduce((sum, header) => sum + (header.invalidRows ?? 0), 0)
  return {
    ...first,
    at: Math.min(...all.map(({ at }) => at)),
    topics: distinct(all.flatMap(({ topics }) => topics)),
    mints: distinct(all.flatMap(({ mints }) => mints)),
    ...(assumed.length === 0 ? {} : { assumedDepth: assumed.join(' or ') }),
    ...(invalidRows === 0 ? {} : { invalidRows }),
    ...(candles.length === 0 ? {} : { candles: candles.join(' and ') }),
  }
}

/** The names without those that differ only in case. */
const distinct = <Name extends string>(names: readonly Name[]): readonly Name[] => [
  ...new Map(names.map((name) => [name.toLowerCase(), name])).values(),
]
