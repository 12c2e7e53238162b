import { asyncScheduler } from 'rxjs'
import { isVirtualTime, performanceNow, startImmediate, startInterval } from './rx-providers.js'

/** The two times and the timers that a part of the library runs on. */
export interface Clock {
  /** True if time is virtual: no timer is late, and no data arrives between two timers. */
  readonly isVirtual: boolean
  /** Monotonic time, in ms: for ages and deadlines, which setting the system clock must not change. */
  readonly elapsed: () => number
  /** The time of day, in ms since the Unix epoch: for values that users read and services check. It may jump. */
  readonly wallClock: () => number
  /** Calls back every `ms` ms. Returns the function that stops it. */
  readonly startInterval: (callback: () => void, ms: number) => () => void
  /** Calls back once after the current tick. Returns the function that cancels it. */
  readonly startImmediate: (callback: () => void) => () => void
}

/**
 * RxJS's clock at the time of each call: virtual inside `TestScheduler.run` and inside a replay, real outside. For
 * operators, which run on the clock of their pipeline.
 */
export const rxClock: Clock = {
  get isVirtual() {
    return isVirtualTime()
  },
  elapsed: performanceNow,
  wallClock: () => asyncScheduler.now(),
  startInterval,
  startImmediate,
}
