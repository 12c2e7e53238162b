/** The two times and the timers that a part of the library runs on. */
export interface Clock {
  /** True if time is virtual: no timer is late, and no data arrives between two timers. */
  readonly isVirtual: boolean
  /**
   * Monotonic time, in ms, suspends of the machine included: for ages and deadlines, which setting the system clock back
   * must not change.
   */
  readonly elapsed: () => number
  /** Like `elapsed`, for further readings within a tick: it is cheaper, and notices no suspend since the last one. */
  readonly elapsedInTick?: () => number
  /** The time of day, in ms since the Unix epoch: for values that users read and services check. It may jump. */
  readonly wallClock: () => number
  /** Calls back every `ms` ms. Returns the function that stops it. */
  readonly startInterval: (callback: () => void, ms: number) => () => void
  /** Calls back once after the current tick. Returns the function that cancels it. */
  readonly startImmediate: (callback: () => void) => () => void
  /**
   * Calls back once the event loop has read the data that has arrived: at once in virtual time. Returns the function
   * that cancels it.
   */
  readonly afterRead: (callback: () => void) => () => void
}

/** `afterRead` of a virtual clock: no data arrives between two timers. */
export const callAtOnce = (callback: () => void): (() => void) => {
  callback()
  return () => undefined
}

/** A pause of the process that a blocked event loop does not cause, in ms. */
export const maxBlockedMs = 60_000

/** The wall clock less the monotonic time, in ms. */
export const clockOffset = (clock: Clock): number => clock.wallClock() - clock.elapsed()
