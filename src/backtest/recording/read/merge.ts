import { left, right } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import { recordingError } from '../../../base/errors/constructors.js'
import type { RecordingError } from '../../../base/errors/model.js'
import { encodeRow } from '../format/row-codec.js'
import { createHeader, nameOf, type RecordingHeader, type Row } from '../format/row.js'
import { Timeline, type TimeRange } from '../format/timeline.js'
import { Cursor } from './cursor.js'
import { lateTime, type EntriesResult, type EntryOrigin, type RecordingEntry } from './read-entries.js'
import { Sequence, type Owners } from './sequence.js'
import type { ReadOn } from './source.js'
import type { StartedSource } from './started-sources.js'

/** Reads a sequence. It is the origin of its entries, and names the source of the current one. */
class SequenceCursor extends Cursor implements EntryOrigin {
  readonly sequence: Sequence
  /** The last header. */
  header: RecordingHeader | undefined

  constructor(sources: readonly StartedSource[], owners: Owners, readOn: ReadOn) {
    super(resultsOf(sources, readOn))
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

  /**
   * When the current entry is due, by the clock of the recorder; a step by the clock before it. A header whose time is unknown is
   * due at once.
   */
  get dueAt(): number {
    const line = this.head?.line
    if (line === undefined) return -Infinity
    if (line._tag !== 'Recording') return line.at
    return line.at === 0 ? -Infinity : line.at - (line.clockStep ?? 0)
  }

  override async refill(): Promise<void> {
    await super.refill()
    this.sequence.isOver = this.isOver
  }
}

async function* resultsOf(
  sources: readonly StartedSource[],
  readOn: ReadOn,
): AsyncGenerator<EntriesResult, void> {
  for (const source of sources) yield* source.read(source === sources.at(-1) ? readOn : undefined)
}

interface MergeOptions {
  readonly range: TimeRange
  /** Ends the merge. */
  readonly closing: Subscription
  /** Called for each row that is left out. */
  readonly onOverlap?: (row: Row) => void
  readonly readOn?: ReadOn | undefined
}

/** Merges sequences by the `at` of their lines. */
export class Merge {
  private readonly timeline: Timeline
  /** The sequences that have started and are not over, in the order of their starts. */
  private open: readonly SequenceCursor[] = []
  /** The sequences that have not started, in order. */
  private readonly later: (readonly StartedSource[])[]
  private failure: RecordingError | undefined

  constructor(
    sequences: readonly (readonly StartedSource[])[],
    private readonly owners: Owners,
    private readonly reading: MergeOptions,
  ) {
    this.later = [...sequences]
    this.timeline = new Timeline(reading.range)
  }

  async *entries(): AsyncGenerator<EntriesResult, void> {
    while (!this.reading.closing.closed) {
      await this.refill()
      for (let next = this.nextToStart(); next !== undefined; next = this.nextToStart()) {
        this.open = [...this.open, new SequenceCursor(next, this.owners, this.readOn)]
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

  /** Of a sequence that has no more lines: only the last one may still be written to. */
  private readonly readOn: ReadOn = async () => {
    const isLast = this.later.length === 0 && this.open.filter(({ isOver }) => !isOver).length === 1
    return isLast && (await this.reading.readOn?.()) === true
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
      if (line._tag === 'Recording' && line.clockStep !== undefined) {
        yield* this.playStep(line, cursor)
        if (this.open.some(({ head }) => head === undefined)) return
        continue
      }
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
   * A step of the clock of all recordings is that of the replay, once: a gateway writes it to the file of each topic. Any other step
   * only changes the times of its recorder.
   */
  private *playStep(step: RecordingHeader, cursor: SequenceCursor): Generator<RecordingEntry, void> {
    const { at, clockStep } = step
    const nextStart = this.later[0]?.[0]?.start ?? Infinity
    const isStep = ({ head }: SequenceCursor): boolean =>
      head?.line._tag === 'Recording' && head.line.clockStep === clockStep && head.line.at === at
    const isOfAll = nextStart >= at && this.open.every(isStep)
    const time = isOfAll ? at : cursor.dueAt
    for (const [index, stepping] of (isOfAll ? this.open : [cursor]).entries()) {
      const entry = this.entryOf(step, stepping, time, isOfAll && index === 0 ? clockStep : undefined)
      if (entry !== undefined) yield entry
      stepping.advance()
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
    const again = createHeader(line.at, header.topics, header.mints, header.interval)
    cursor.claim(again)
    return [again, line]
  }

  /** `undefined` after a failure. */
  private entryOf(
    line: RecordingHeader | Row,
    origin: SequenceCursor,
    at = line.at,
    clockStep?: number,
  ): RecordingEntry | undefined {
    const time = this.timeline.next(at, line._tag === 'Recording', clockStep)
    if (time !== undefined) return { line, time: time.time, skipped: time.skipped, origin }
    const { source, lineNumber } = origin
    this.failure = recordingError(source, lineNumber, encodeRow(line), [lateTime(line.at)])
    return undefined
  }
}

const namesOf = ({ topics, mints }: RecordingHeader): readonly string[] => [...topics, ...mints]
