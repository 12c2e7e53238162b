import type { Subscription } from 'rxjs'
import type { Clock } from '../../time/clock.js'
import { delay } from '../../time/deadline.js'
import { VirtualTime } from '../../time/virtual-time.js'

/** The clock of a replay. All times are times of the replay, which never go back, in ms since the Unix epoch. */
export interface ReplayClock {
  /** Runs `work` at a time of the replay, after all virtual timers that are due by then. */
  runAt(time: number, work: () => void): void
  /** Runs `work` at the current time of the replay. */
  run<A>(work: () => A): A
  /** Moves the clock forward by a time that passes at once, in ms. Timers keep their remaining delays. */
  skip(ms: number): void
  /** Time until the given time of the replay, in real ms; 0 or less if it has passed. */
  msUntil(time: number): number
  /** Stops the clock. */
  pause(): void
  /** Starts the clock again. */
  resume(): void
  /** Cancels the virtual timers that are left when the replay is over. Later timers are real. */
  dispose(): void
}

/** A clock that runs `speed` times as fast as `clock`. Timers of Rx stay real. */
export const realClock = (speed: number, clock: Clock): ReplayClock => {
  /** A time of the replay, and the real time at which it was reached. */
  let anchor: { readonly time: number; readonly elapsed: number } | undefined
  let pausedAt = 0
  return {
    runAt: (_, work) => work(),
    run: (work) => work(),
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
    dispose: () => undefined,
  }
}

/** A clock that jumps from row to row. Clocks and timers of Rx inside `run` and `runAt` are virtual. */
export const virtualClock = (): ReplayClock => {
  let virtual: VirtualTime | undefined
  return {
    runAt: (time, work) => {
      const clock = (virtual ??= new VirtualTime(time))
      clock.run(() => {
        clock.advance(time)
        work()
        // Runs what `work` scheduled without a delay.
        clock.advance(time)
      })
    },
    run: (work) => (virtual === undefined ? work() : virtual.run(work)),
    skip: (ms) => virtual?.skip(ms),
    msUntil: () => 0,
    pause: () => undefined,
    resume: () => undefined,
    dispose: () => virtual?.dispose(),
  }
}

/** Resolves after `ms`, rounded up as timers have whole ms, or when `interrupted` is unsubscribed from. */
export const interruptibleDelay = (clock: Clock, ms: number, interrupted: Subscription): Promise<void> =>
  new Promise((resolve) => {
    const waiting = delay(clock, Math.ceil(ms), resolve)
    waiting.add(() => resolve())
    interrupted.add(waiting)
  })
