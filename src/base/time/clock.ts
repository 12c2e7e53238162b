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
  /**
   * Calls back once the event loop has read the data that has arrived: at once in virtual time. Returns the function
   * that cancels it.
   */
  readonly afterRead: (callback: () => void) => () => void
}

/** A timer of a virtual clock. RxJS receives it as an opaque handle. */
export interface VirtualTimer {
  /** The clock of the timer: another one may be active when the timer is cleared. */
  readonly owner: VirtualClock
  cancelled: boolean
}

export interface VirtualClock {
  /** In ms since the Unix epoch. */
  readonly now: () => number
  /** Monotonic, in ms. */
  readonly elapsed: () => number
  /** True if new timers are real. */
  readonly disposed: boolean
  /** Calls back every `ms` ms, like `setInterval`. */
  addTimer(callback: () => void, ms: number): VirtualTimer
  /** Calls back once, after all events of the millisecond of a time, in ms since the Unix epoch. */
  addAfterEvents(callback: () => void, time: number): VirtualTimer
  /** Calls back once, after the current tick. */
  addImmediate(callback: () => void): VirtualTimer
  /** Calls back once, with the time of the next animation frame. */
  addFrame(callback: (time: number) => void): VirtualTimer
  cancel(timer: VirtualTimer): void
}

/** `afterRead` of a virtual clock: no data arrives between two timers. */
export const callAtOnce = (callback: () => void): (() => void) => {
  callback()
  return () => undefined
}

// While a machine is suspended, the monotonic clock of Linux stands still and the wall clock does not. A wall clock
// that is set forward has the same effect: values become stale although they are current, which is the safe error. The
// monotonic clocks of macOS and Windows continue. There, a suspend cannot be distinguished from a blocked event loop,
// and its length decides.

/** The wall clock may be adjusted by this much without a suspend, in ms. */
const maxAdjustment = 2_000

/** A pause of the process that a blocked event loop does not cause, in ms. */
export const maxBlockedMs = 60_000

/** The distance between the clocks, in ms. It only grows by a suspend, or if the wall clock is set. */
export const clockOffset = (clock: Clock): number => clock.wallClock() - clock.elapsed()

/** How long the machine was suspended between two readings of the offset, in ms; 0 if it was not. */
export const suspendedFor = (offsetBefore: number, offsetNow: number): number =>
  offsetNow - offsetBefore > maxAdjustment ? offsetNow - offsetBefore : 0
