import { isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { assertNever } from '../../../base/domain/assert-never.js'
import { emptyRecording, recordingError } from '../../../base/errors/constructors.js'
import type { RecordingError } from '../../../base/errors/model.js'
import { encodeRow } from '../format/row-codec.js'
import type { RecordingHeader, Row } from '../format/row.js'
import { Timeline, type TimeRange } from '../format/timeline.js'
import { Cursor } from './cursor.js'
import {
  lateTime,
  readSource,
  type EntriesResult,
  type EntryOrigin,
  type RecordingEntry,
} from './read-entries.js'
import { Owners, Sequence } from './sequence.js'
import type { OpenableSource } from './source.js'

/** How a set of recordings is read. */
export interface SetReading {
  readonly range: TimeRange
  /** Ends the reading. */
  readonly closing: Subscription
  readonly owners?: Owners
  /** Called before the first line of several recordings, with their topics, their mints, and their first start. */
  readonly onHeader?: (header: RecordingHeader) => void
  /** Called for each row that is left out, because another recording has its topic or mint at that time. */
  readonly onOverlap?: (row: Row) => void
  /** Receives the errors of sources, of which the rest is then left out. Default: the first error is the last result. */
  readonly onDamage?: (error: RecordingError) => void
  /** True if a last row that a crash has cut off is skipped. Default: it is an error. */
  readonly allowsCut?: boolean
}

/**
 * The entries of a set of recordings, in the order in which they are played. The order of the sources does not matter:
 *
 * - The lines of a source keep their order.
 * - A source whose header continues the header of another one follows it. Such sources are one sequence.
 * - Sequences are in the order of their starts. Where they overlap in time, their lines are merged by `at`.
 * - If overlapping sequences have the same topic or mint, the rows of the one that starts first are played until its end. The
 *   later rows of the next one follow.
 * - A source whose first line cannot be read is the last one, with its error.
 *
 * Memory holds one piece of each source that overlaps. A single source is read without a merge.
 */
export async function* readSet(
  sources: readonly OpenableSource[],
  reading: SetReading,
): AsyncGenerator<EntriesResult, void> {
  const { owners = new Owners(), onHeader, onDamage } = reading
  const [source] = sources
  if (source === undefined) {
    yield left(emptyRecording('the recording'))
  } else if (sources.length === 1) {
    yield* withoutDamage(readPart(source, reading, { sequence: new Sequence(owners) }), onDamage)
  } else {
    const started: StartedSource[] = []
    for (const each of sources) started.push(await startOf(each, reading))
    const headers = started.flatMap(({ header }) => header ?? [])
    if (headers[0] !== undefined) onHeader?.(jointHeader(headers[0], headers))
    yield* new Merge(sequencesOf(started), owners, reading).entries()
  }
}

/** The first entries of a set: at most `lines`. */
export async function* readFirstLines(
  sources: readonly OpenableSource[],
  reading: SetReading,
  lines: number,
): AsyncGenerator<EntriesResult, void> {
  let count = 0
  function* firstOf(entries: Iterable<RecordingEntry>): Generator<RecordingEntry, void> {
    for (const entry of entries) {
      count++
      yield entry
      if (count === lines) return
    }
  }
  for await (const entries of readSet(sources, reading)) {
    yield isLeft(entries) ? entries : right(firstOf(entries.right))
    if (count === lines) return
  }
}

const readPart = (
  source: OpenableSource,
  { range, closing, allowsCut = false }: SetReading,
  options: { readonly sequence?: Sequence; readonly opened?: Subscription } = {},
): AsyncGenerator<EntriesResult, void> =>
  readSource(source, range, options.opened ?? closing, { ...options, allowsCut })

async function* withoutDamage(
  results: AsyncGenerator<EntriesResult, void>,
  onDamage: SetReading['onDamage'],
): AsyncGenerator<EntriesResult, void> {
  if (onDamage === undefined) return yield* results
  for await (const result of results) {
    if (isRight(result)) yield result
    else onDamage(result.left)
  }
}

/** A source, and where it starts. */
interface StartedSource {
  /** `undefined` if it cannot be read. */
  readonly header: RecordingHeader | undefined
  /** In ms since the Unix epoch. If the header does not contain it, the time of the first row. */
  readonly start: number
  /** The time of the first row of a file, in ms since the Unix epoch; of any other source, its start. */
  readonly firstRowAt: number
  readonly read: () => AsyncGenerator<EntriesResult, void>
}

/** A file is closed again, because there may be thousands. Any other source may be readable only once, and stays open. */
const startOf = async (source: OpenableSource, reading: SetReading): Promise<StartedSource> => {
  const opened = new Subscription()
  reading.closing.add(opened)
  const cursor = new Cursor(readPart(source, reading, { opened }))
  await cursor.refill()
  const header = cursor.head?.line._tag === 'Recording' ? cursor.head.line : undefined
  const headerAt = header?.at ?? Infinity
  if (source.file === undefined)
    return { header, start: headerAt, firstRowAt: headerAt, read: () => cursor.rest() }
  cursor.advance()
  await cursor.refill()
  const firstRowAt = cursor.head?.line.at ?? headerAt
  opened.unsubscribe()
  const start = headerAt === 0 ? firstRowAt : headerAt
  return { header, start, firstRowAt, read: () => readPart(source, reading) }
}

const jointHeader = (first: RecordingHeader, all: readonly RecordingHeader[]): RecordingHeader => ({
  ...first,
  at: Math.min(...all.map(({ at }) => at)),
  topics: distinct(all.flatMap(({ topics }) => topics)),
  mints: distinct(all.flatMap(({ mints }) => mints)),
})

/** The names without those that differ only in case. */
const distinct = <Name extends string>(names: readonly Name[]): readonly Name[] => [
  ...new Map(names.map((name) => [name.toLowerCase(), name])).values(),
]

/** The sources of each sequence, in order. The sequences are in the order of their starts. */
const sequencesOf = (sources: readonly StartedSource[]): readonly (readonly StartedSource[])[] => {
  const follower = new Map<StartedSource, StartedSource>()
  const followers = new Set<StartedSource>()
  for (const source of sources) {
    // Headers with equal times may seem to continue each other.
    const isFree = (each: StartedSource): boolean =>
      !follower.has(each) && ![...followersOf(source, follower)].includes(each)
    const before = sources.find((each) => isContinuedBy(each.header, source.header) && isFree(each))
    if (before === undefined) continue
    follower.set(before, source)
    followers.add(source)
  }
  const firsts = sources.filter((source) => !followers.has(source))
  return firsts.sort(byStart).map((first) => [first, ...followersOf(first, follower)])
}

/** Of two files whose headers have the same time, the one with the earlier row is first: it owns their topics. */
const byStart = (a: StartedSource, b: StartedSource): number =>
  a.start - b.start || a.firstRowAt - b.firstRowAt

function* followersOf(
  source: StartedSource,
  follower: ReadonlyMap<StartedSource, StartedSource>,
): Generator<StartedSource, void> {
  for (let next = follower.get(source); next !== undefined; next = follower.get(next)) yield next
}

/** True if a recorder goes on in a new file, which has the second header. */
export const isContinuedBy = (
  before: RecordingHeader | undefined,
  after: RecordingHeader | undefined,
): boolean =>
  before !== undefined &&
  after?.continues === before.at &&
  before !== after &&
  before.topics.join() === after.topics.join() &&
  before.mints.join() === after.mints.join()

/** Reads a sequence. It is the origin of its entries, and names the source of the current one. */
class SequenceCursor extends Cursor implements EntryOrigin {
  readonly sequence: Sequence
  /** The last header. */
  header: RecordingHeader | undefined

  constructor(sources: readonly StartedSource[], owners: Owners, onDamage: SetReading['onDamage']) {
    super(resultsOf(sources, onDamage))
    const [first] = sources
    this.sequence = new Sequence(owners, first?.start)
    if (first?.header !== undefined) this.claim(first.header)
  }

  claim(header: RecordingHeader): void {
    for (const name of namesOf(header)) this.sequence.claim(name, header.at)
  }

  get source(): string {
    return this.head?.origin.source ?? ''
  }

  get lineNumber(): number {
    return this.head?.origin.lineNumber ?? 0
  }

  /** When the current entry is due, by the clock of the recorder. A header whose time is unknown is due at once. */
  get dueAt(): number {
    const line = this.head?.line
    return line === undefined || (line._tag === 'Recording' && line.at === 0) ? -Infinity : line.at
  }

  override async refill(): Promise<void> {
    await super.refill()
    this.sequence.isOver = this.isOver
  }
}

async function* resultsOf(
  sources: readonly StartedSource[],
  onDamage: SetReading['onDamage'],
): AsyncGenerator<EntriesResult, void> {
  for (const { read } of sources) yield* withoutDamage(read(), onDamage)
}

/** Merges sequences by the `at` of their lines. */
class Merge {
  private readonly timeline: Timeline
  /** The sequences that have started and are not over, in the order of their starts. */
  private open: readonly SequenceCursor[] = []
  /** The sequences that have not started, in order. */
  private readonly later: (readonly StartedSource[])[]
  private failure: RecordingError | undefined
  /** True for one recorder: the steps of its clock are those of the replay. */
  private readonly isAlone: boolean

  constructor(
    sequences: readonly (readonly StartedSource[])[],
    private readonly owners: Owners,
    private readonly reading: SetReading,
  ) {
    this.later = [...sequences]
    this.isAlone = sequences.length === 1
    this.timeline = new Timeline(reading.range)
  }

  async *entries(): AsyncGenerator<EntriesResult, void> {
    while (!this.reading.closing.closed) {
      await this.refill()
      for (let next = this.nextToStart(); next !== undefined; next = this.nextToStart()) {
        this.open = [...this.open, new SequenceCursor(next, this.owners, this.reading.onDamage)]
        await this.refill()
      }
      if (this.failure === undefined) {
        if (this.open.length === 0) return
        yield right(this.piece())
      }
      if (this.failure !== undefined) {
        yield left(this.failure)
        return
      }
    }
  }

  /** Reads the next piece of each sequence without a current entry. */
  private async refill(): Promise<void> {
    for (const cursor of this.open) {
      await cursor.refill()
      this.failure ??= cursor.failure
    }
    this.open = this.open.filter(({ isOver }) => !isOver)
  }

  /** Removes and returns the next sequence if it starts before the current lines. */
  private nextToStart(): readonly StartedSource[] | undefined {
    const earliest = this.earliest()
    const isDue = earliest === undefined || (this.later[0]?.[0]?.start ?? Infinity) <= earliest.dueAt
    return this.failure === undefined && isDue ? this.later.shift() : undefined
  }

  /** Of lines that are due at one time, those of the sequence that starts first are first. */
  private earliest(): SequenceCursor | undefined {
    let earliest: SequenceCursor | undefined
    for (const cursor of this.open)
      if (earliest === undefined || cursor.dueAt < earliest.dueAt) earliest = cursor
    return earliest
  }

  /** The entries until a sequence needs its next piece, or the next sequence starts. */
  private *piece(): Generator<RecordingEntry, void> {
    const nextStart = this.later[0]?.[0]?.start ?? Infinity
    for (;;) {
      const cursor = this.earliest()
      const line = cursor?.head?.line
      if (cursor === undefined || line === undefined || cursor.dueAt >= nextStart) return
      for (const played of this.played(line, cursor)) {
        const entry = this.entryOf(played, cursor)
        if (entry === undefined) return
        yield entry
      }
      cursor.advance()
      if (cursor.head === undefined) return
    }
  }

  /**
   * The lines that are played for a line: none for a row of a topic that another sequence owns. A sequence that becomes the
   * owner of a topic after another one starts again with its header.
   */
  private played(line: RecordingHeader | Row, cursor: SequenceCursor): readonly (RecordingHeader | Row)[] {
    const { sequence, header } = cursor
    if (line._tag === 'Recording') {
      cursor.header = line
      cursor.claim(line)
      return [line]
    }
    if (line.at > sequence.latest) sequence.latest = line.at
    const name = nameOf(line)
    if (name === undefined) return sequence.ownsAny() ? [line] : []
    if (sequence.owns(name)) return [line]
    const isTakenOver = this.owners.has(name.toLowerCase())
    if (!sequence.claim(name, line.at)) {
      this.reading.onOverlap?.(line)
      return []
    }
    if (!isTakenOver || header === undefined) return [line]
    const again = restarted(header, line.at)
    cursor.claim(again)
    return [again, line]
  }

  /** `undefined` after a failure. */
  private entryOf(line: RecordingHeader | Row, origin: SequenceCursor): RecordingEntry | undefined {
    const isHeader = line._tag === 'Recording'
    const clockStep = isHeader && this.isAlone ? line.clockStep : undefined
    const time = this.timeline.next(line.at, isHeader, clockStep)
    if (time !== undefined) return { line, time: time.time, skipped: time.skipped, origin }
    const { source, lineNumber } = origin
    this.failure = recordingError(source, lineNumber, encodeRow(line), [lateTime(line.at)])
    return undefined
  }
}

const namesOf = ({ topics, mints }: RecordingHeader): readonly string[] => [...topics, ...mints]

/** The topic or mint of a row. */
const nameOf = (row: Row): string | undefined => {
  switch (row._tag) {
    case 'Price':
      return row.topic
    case 'Depth':
      return row.mint
    case 'End':
      return row.of
    case 'Status':
    case 'Uncorrelated':
      return undefined
    default:
      return assertNever(row)
  }
}

const restarted = ({ topics, mints, interval }: RecordingHeader, at: number): RecordingHeader => ({
  _tag: 'Recording',
  version: 1,
  at,
  topics,
  mints,
  interval,
})
