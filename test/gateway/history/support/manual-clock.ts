import { rxClock, type Clock } from '../../../../src/base/time/clock.js'

/** A clock whose monotonic time the test moves. */
export interface ManualClock extends Clock {
  /** Moves the time, and then calls the callback of each interval once. */
  readonly advance: (ms: number) => void
}

/** The wall clock is that of `Date`. */
export const createManualClock = (): ManualClock => {
  let elapsed = 0
  const callbacks = new Set<() => void>()
  return {
    ...rxClock,
    elapsed: () => elapsed,
    wallClock: () => Date.now(),
    startInterval: (callback) => {
      callbacks.add(callback)
      return () => void callbacks.delete(callback)
    },
    advance: (ms) => {
      elapsed += ms
      for (const callback of callbacks) callback()
    },
  }
}
