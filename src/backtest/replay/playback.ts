import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { clientClosed } from '../../base/errors/constructors.js'
import type { ClientClosed, RecordingError } from '../../base/errors/model.js'
import { deferred } from '../../base/task/deferred.js'
import { macrotasks, nextTurn, systemClock } from '../../base/time/clock.js'
import { headerKey } from '../history/past-reading.js'
import type { EntriesResult, EntryOrigin, RecordingEntry } from '../recording/read/read-entries.js'
import { readSet, type SetReading } from '../recording/read/merge.js'
import { isSkewed, type RecordingHeader, type Row } from '../recording/codec/row.js'
import type { OpenableSource } from '../recording/read/openable-source.js'
import type { TimeRange } from '../recording/codec/timeline.js'
import { RecordedStreams } from './recorded-streams.js'
import { promiseDrain } from './promise-drain.js'
import { playInContexts, restoreDelegates } from './rx-context.js'
import { RowWaits } from './row-waits.js'
import { StrategyRuns, type StrategyRun } from './strategy-runs.js'

/** The summary of a finished replay. */
export interface ReplaySummary {
  /** Number of rows that were emitted, without headers. */
  readonly rows: number
  /** Number of these rows that are earlier than their predecessor: a clock was set back, or rows were appended. */
  readonly earlierRows: number
  /** Number of these rows whose `at` and `receivedAt` differ by more than a minute. */
  readonly skewedRows: number
}

export interface PlaybackObserver {
  /** Called before the events of each line are emitted. */
  readonly onLine?: ((line: Row | RecordingHeader, origin: EntryOrigin) => void) | undefined
  /** If defined, called at the end of the recording instead of the end of the replay, unless the recording is damaged. */
  readonly onRecordingEnd?: () => void
  /** Called once, when the replay is over. */
  readonly onOver?: (summary: ReplaySummary) => void
}

export type ReplayResult = Either<RecordingError, ReplaySummary>
export type HeaderResult = Either<RecordingError | ClientClosed, RecordingHeader>

/** Reads a recording row by row, and emits each row at its time. Before the first run, pauses while there is no subscriber. */
export class Playback {
  readonly streams: RecordedStreams
  private readonly closing = new Subscription()
  readonly runs: StrategyRuns
  private readonly result = deferred<ReplayResult>()
  private readonly firstHeader = deferred<HeaderResult>()
  private started = false
  isOver = false
  private hasRun = false
  private readonly counted = { rows: 0, earlierRows: 0, skewedRows: 0 }
  /** The time of the last row, in ms since the Unix epoch. */
  private lastAt = -Infinity
  /** The header of a set of several recordings. */
  private jointHeader: RecordingHeader | undefined
  /** The entry that was read, and is not emitted. */
  private next: RecordingEntry | undefined
  /** The keys of the headers that were played. */
  readonly playedHeaders = new Set<string>()
  /** The time of the last line, as recorded, in ms since the Unix epoch: the history of the replay ends there. */
  recordedAt = -Infinity
  readonly waits: RowWaits

  constructor(
    readonly sources: readonly OpenableSource[],
    private readonly range: TimeRange,
    /** `Infinity`: strategies run in virtual time. */
    speed: number,
    private readonly observer: PlaybackObserver = {},
    private readonly read = (reading: SetReading): AsyncGenerator<EntriesResult, void> =>
      readSet(sources, reading),
  ) {
    this.streams = new RecordedStreams(
      range,
      () => this.runs.elapsed(),
      () => this.addSubscriber(),
    )
    this.waits = new RowWaits(speed, systemClock(), this.closing)
    this.runs = new StrategyRuns(speed === Infinity, this.waits)
  }

  /** True until a row is emitted or the replay is over: a new subscriber receives the recording from its start. */
  get isAtStart(): boolean {
    return this.counted.rows === 0 && !this.isOver
  }

  /** See `ReplayClient`. A source that cannot be read is an error also without a subscriber. */
  finished(): Promise<ReplayResult> {
    this.start()
    return this.result.promise
  }

  /** The first line. Does not count as a subscriber, so the replay stays paused. */
  header(): Promise<HeaderResult> {
    this.start()
    return this.firstHeader.promise
  }

  /** Starts the run of a strategy: the replay then ends with its last subscriber. `onEnd`: called if it ends before the run. */
  startRun(onEnd: () => void): StrategyRun {
    this.hasRun = true
    const run = this.runs.add(onEnd, this.addSubscriber())
    if (this.isOver) run.end()
    return run
  }

  /** Moves all clocks by a time that passes at once, in ms: no timer fires, and each keeps its remaining delay. */
  skip(ms: number): void {
    this.waits.skip(ms)
    this.runs.skip(ms)
  }

  /** Stops the replay. `completeStreams`: completes the streams of the client, and those of the recording. */
  close(completeStreams = (): void => this.streams.complete(undefined)): void {
    this.closing.unsubscribe()
    this.finish(completeStreams)
    this.firstHeader.resolve(left(clientClosed))
    // What waits for the end runs in this turn.
    restoreDelegates()
  }

  private finish(completeStreams: () => void, error?: RecordingError): void {
    const summary = { ...this.counted }
    if (!this.isOver) this.observer.onOver?.(summary)
    this.isOver = true
    this.runs.endAll(completeStreams)
    this.result.resolve(error === undefined ? right(summary) : left(error))
  }

  /** Returns the teardown. */
  private addSubscriber(): () => void {
    this.waits.countSubscriber(1)
    this.start()
    return () => {
      this.waits.countSubscriber(-1)
      if (!this.waits.hasSubscribers && this.hasRun && !this.isOver) this.close()
    }
  }

  private start(): void {
    if (this.started || this.closing.closed) return
    this.started = true
    void this.play()
  }

  private async play(): Promise<void> {
    const { range, closing } = this
    const onHeader = (header: RecordingHeader): void => void (this.jointHeader = header)
    for await (const read of this.read({ range, closing, onHeader })) {
      if (isLeft(read)) return this.end(read.left)
      const entries = read.right[Symbol.iterator]()
      while (await inMacrotask(() => playInContexts(() => this.playTurn(entries))))
        if (this.next !== undefined) await this.waits.untilDue(this.next.time)
      if (closing.closed) return
    }
    return this.end(undefined)
  }

  /**
   * Plays the rows of a macrotask, until one is not due. The promises of the strategies settle before each row, for any division
   * of the recording into chunks: on Node within the turn, and elsewhere at its end. False after the last entry, and after `close`.
   */
  private playTurn(entries: Iterator<RecordingEntry, unknown>): boolean {
    const drain = promiseDrain()
    for (let rows = 0; rows < rowsPerTurn; rows++) {
      const entry = (this.next ??= this.readEntry(entries))
      if (entry === undefined || this.closing.closed) return false
      if (this.streams.hasOutageBefore(entry.line)) this.runs.tick(() => this.streams.emitOutage())
      else if (this.waits.isDue(entry.time)) this.emit(entry)
      else return true
      // Strategies subscribe after the first header.
      if (drain === undefined || entry.line._tag === 'Recording') return true
      drain()
    }
    return true
  }

  private readEntry(entries: Iterator<RecordingEntry, unknown>): RecordingEntry | undefined {
    const read = entries.next()
    if (read.done === true || this.closing.closed) return undefined
    const entry = read.value
    if (entry.skipped !== 0) this.skip(entry.skipped)
    return entry
  }

  /** Fires the timers of the strategies that are due before the line, or emits it. */
  private emit({ line, time, origin }: RecordingEntry): void {
    const { from, to } = this.range
    this.recordedAt = Math.max(from, Math.min(line.at, to))
    this.runs.runAt(time, () => this.emitLine(line, time, origin))
    if (line._tag !== 'Recording' || this.next !== undefined) return
    this.playedHeaders.add(headerKey(origin.source, line))
    this.waits.hasStarted = true
    this.firstHeader.resolve(right(this.jointHeader ?? line))
  }

  /** Called when the clocks have the time of the line. */
  private emitLine(line: Row | RecordingHeader, time: number, origin: EntryOrigin): void {
    this.next = undefined
    const { counted } = this
    if (line._tag !== 'Recording') {
      counted.rows++
      if (line.at < this.lastAt) counted.earlierRows++
      if (isSkewed(line)) counted.skewedRows++
      this.lastAt = line.at
      this.runs.aheadMs = time - line.at
    }
    this.observer.onLine?.(line, origin)
    this.streams.emit(line, origin)
  }

  private async end(error: RecordingError | undefined): Promise<void> {
    if (error !== undefined) this.firstHeader.resolve(left(error))
    // A strategy subscribes after the header settles. Its streams must not end before that.
    await nextTurn()
    await this.waits.untilReleased()
    if (this.closing.closed) return
    const { onRecordingEnd } = this.observer
    if (onRecordingEnd !== undefined && error === undefined) {
      this.recordedAt = Infinity
      onRecordingEnd()
      return
    }
    this.finish(() => this.streams.complete(error), error)
  }
}

/** Number of rows after which the replay yields to the event loop. */
const rowsPerTurn = 256

/** The result of work in a macrotask; true if it throws. Node reports the exception, which does not stop the replay. */
const inMacrotask = (work: () => boolean): Promise<boolean> =>
  new Promise((resolve) => {
    macrotasks()(() => {
      let result = true
      try {
        result = work()
      } finally {
        resolve(result)
      }
    })
  })
