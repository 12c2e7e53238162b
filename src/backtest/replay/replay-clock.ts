import type { Clock } from '../../base/time/clock.js'
import { rxClock } from '../../base/time/rx-clock.js'
import { activeContext, type RxContext } from './rx-context.js'
import { VirtualTime, type Brake, type ClockGroup } from './virtual-time.js'

/**
 * Decides when each row is due. All times are times of the replay, in ms since the Unix epoch. They go back only by `skip`.
 */
export interface ReplayClock {
  /** True if strategies run on virtual clocks. */
  readonly isVirtual: boolean
  /**
   * A clock for one strategy, which starts at a time of the replay. `skipped`: the time that has passed at once, in ms. `group`:
   * moves the clock while it has no timers.
   */
  clockAt(time: number, skipped: number, group: ClockGroup): StrategyClock
  /** The monotonic time of the active clock, in ms. `time`: that of the replay, without the time that has passed at once. */
  elapsed(time: number): number
  /** Moves the clock by a time that passes at once, in ms. Negative if the recorder's clock was set back. */
  skip(ms: number): void
  /** Time until the given time of the replay, in real ms; 0 or less if it has passed. */
  msUntil(time: number): number
  /** Stops the clock. */
  pause(): void
  /** Starts the clock again. */
  resume(): void
}

/** The clock on which a strategy runs: its clocks and timers of Rx. */
export interface StrategyClock {
  /** The time at which its next timer may be due; `Infinity` without timers, and for a clock that is real. */
  readonly nextDue: number
  /** Makes the clock active. Returns the context that was active before, which the caller enters again. */
  enter(): RxContext
  /** Runs work of the strategy. */
  run<A>(work: () => A): A
  /** Moves the clock to a time of the replay, and fires the timers that are due. False if the brake stops it before. */
  advance(time: number, brake?: Brake): boolean
  /** Moves the clock by a time that passes at once, in ms. Timers keep their remaining delays. */
  skip(ms: number): void
  /** Fires the pending timers, up to the due time of the last one. */
  finish(): void
  /** Cancels the remaining timers. Later timers are real. */
  dispose(): void
}

/** A clock that runs `speed` times as fast as `clock`. Strategies run in real time. */
export const realClock = (speed: number, clock: Clock): ReplayClock => {
  /** A time of the replay, and the real time at which it was reached. */
  let anchor: { readonly time: number; readonly elapsed: number } | undefined
  let pausedAt = 0
  return {
    isVirtual: false,
    clockAt: () => realTime,
    elapsed: rxClock.elapsed,
    skip: (ms) => {
      if (anchor !== undefined) anchor = { ...anchor, time: anchor.time + ms }
    },
    msUntil: (time) => {
      anchor ??= { time, elapsed: clock.elapsed() }
      return (time - anchor.time) / speed - (clock.elapsed() - anchor.elapsed)
    },
    pause: () => {
      pausedAt = clock.elapsed()
    },
    resume: () => {
      if (anchor !== undefined) anchor = { ...anchor, elapsed: anchor.elapsed + clock.elapsed() - pausedAt }
    },
  }
}

const realTime: StrategyClock = {
  nextDue: Infinity,
  enter: activeContext,
  run: (work) => work(),
  advance: () => true,
  skip: () => undefined,
  finish: () => undefined,
  dispose: () => undefined,
}

/** A clock that jumps from row to row. Strategies run in virtual time. */
export const virtualClock: ReplayClock = {
  isVirtual: true,
  clockAt: (time, skipped, group) => new VirtualTime(time, skipped, group),
  elapsed: (time) => (rxClock.isVirtual ? rxClock.elapsed() : time),
  skip: () => undefined,
  msUntil: () => 0,
  pause: () => undefined,
  resume: () => undefined,
}
