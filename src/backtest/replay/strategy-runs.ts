import { safeUnsubscribe } from '../../base/task/safe-notify.js'
import { rxClock } from '../../base/time/clock.js'
import { enterContext, enterUnlessDisposed } from './rx-context.js'
import { ClockGroup, VirtualTime, type Brake } from './virtual-time.js'

/** A strategy that runs over a replay, on its own clock. */
export interface StrategyRun {
  /** Creates the clock, with the time of the replay, and runs `start` on it. The clock is `undefined` if time is real. */
  readonly begin: (start: (clock: VirtualTime | undefined) => void) => void
  /** Fires the timers that are pending, and then ends the run: at once, or after the running tick. */
  readonly end: () => void
  /** Runs `unsubscribe` on the clock and cancels its timers. Idempotent. */
  readonly leave: (unsubscribe: () => void) => void
}

/** The strategies that run over one replay, each on a clock of its own, and all clocks at one time. */
export class StrategyRuns extends ClockGroup {
  private readonly runs = new Set<StrategyRun>()
  private readonly clocks = new Set<VirtualTime>()
  /** The clock on which rows are emitted: that of subscribers outside of `run$`. Undefined before the first line, and if time is real. */
  private ownClock: VirtualTime | undefined
  isRunning = false
  private isEnding = false
  private waiting: (() => void)[] = []

  /** `isVirtual`: the clocks jump from row to row. Otherwise they are real. */
  constructor(
    private readonly isVirtual: boolean,
    private readonly brake: Brake,
  ) {
    super()
  }

  /** Emits the row of a time. If timers are due before it, fires them instead, until one holds the replay. */
  runAt(time: number, emitRow: () => void): void {
    if (this.ownClock === undefined) {
      this.time = time
      this.ownClock = this.createClock()
    }
    this.tick(() => {
      // The iterator of an empty set takes a tenth of the time of a row.
      if (this.withTimers.size > 0 && this.nextDue <= time) {
        for (const clock of this.withTimers) clock.fireDue(time, this.brake)
      } else {
        this.time = time
        emitRow()
      }
    })
  }

  /** The time at which the next timer of a strategy may be due; `Infinity` without timers. */
  get nextDue(): number {
    let due = Infinity
    for (const { nextDue } of this.withTimers) due = Math.min(due, nextDue)
    return due
  }

  /** Moves all clocks to a time of the replay, and fires the timers that are due. */
  advance(time: number): void {
    this.tick(() => {
      for (const clock of this.withTimers) clock.advance(time)
      this.time = Math.max(this.time, time)
    })
  }

  /** Monotonic, in ms: of the active clock, or of the group if it is asked for in real time. */
  readonly elapsed = (): number =>
    this.isVirtual && !rxClock.isVirtual ? this.time - this.skipped : rxClock.elapsed()

  /** Moves the clocks by a time that passes at once, in ms. */
  skip(ms: number): void {
    this.time += ms
    this.skipped += ms
    for (const clock of this.clocks) clock.skip(ms)
  }

  /** Adds a strategy. `onEnd`: called in real time when the run ends, but not when it leaves. `onLeft`: called when it has left. */
  add(onEnd: () => void, onLeft: () => void): StrategyRun {
    let clock: VirtualTime | undefined
    const run: StrategyRun = {
      begin: (start) => {
        const created = (clock = this.createClock())
        this.tick(() => runOn(created, () => start(created)))
      },
      end: () =>
        this.afterTick(() => {
          clock?.finish()
          // A timer may have completed the strategy.
          if (this.runs.has(run)) onEnd()
        }),
      leave: (unsubscribe) => {
        if (!this.runs.delete(run)) return
        this.tick(() => safeUnsubscribe({ unsubscribe: () => runOn(clock, unsubscribe) }))
        if (this.isEnding) this.afterTick(() => this.finish(clock))
        else this.remove(clock)
        onLeft()
      },
    }
    this.runs.add(run)
    return run
  }

  /** Ends all runs, and the clock outside of `run$`, after `completeStreams`. */
  endAll(completeStreams: () => void): void {
    this.isEnding = true
    this.tick(completeStreams)
    for (const run of this.runs) run.end()
    this.afterTick(() => this.finish(this.ownClock))
  }

  private createClock(): VirtualTime | undefined {
    if (!this.isVirtual) return undefined
    const clock = new VirtualTime(this.time, this)
    this.clocks.add(clock)
    return clock
  }

  private finish(clock: VirtualTime | undefined): void {
    clock?.finish()
    this.remove(clock)
  }

  /** Removes a clock after the immediates that it still has. */
  private remove(clock: VirtualTime | undefined): void {
    if (clock === undefined) return
    clock.dispose()
    this.tick(() => undefined)
    this.afterTick(() => void this.clocks.delete(clock))
  }

  /**
   * Runs work, and then what it has scheduled without a delay. On the own clock: a change from there to that of a strategy costs less
   * than one from real time.
   */
  tick<A>(work: () => A): A {
    if (this.isRunning) return work()
    this.isRunning = true
    const before = this.ownClock && enterUnlessDisposed(this.ownClock)
    try {
      return work()
    } finally {
      if (before !== undefined) enterContext(before)
      this.endTick()
    }
  }

  private endTick(): void {
    const { withTimers, time } = this
    if (withTimers.size > 0)
      for (const clock of withTimers) {
        clock.advance(time)
        if (clock.nextDue === Infinity) withTimers.delete(clock)
      }
    this.isRunning = false
    if (this.waiting.length === 0) return
    const { waiting } = this
    this.waiting = []
    for (const callback of waiting) callback()
  }

  /** Calls back now, or at the end of the running tick. */
  afterTick(callback: () => void): void {
    if (this.isRunning) this.waiting.push(callback)
    else callback()
  }
}

const runOn = (clock: VirtualTime | undefined, work: () => void): void => (clock ? clock.run(work) : work())
