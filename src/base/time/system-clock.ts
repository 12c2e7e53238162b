import type { Clock } from './clock.js'
import { macrotasks } from './macrotask.js'
import { realImmediate } from './rx-providers.js'

/** In ms. A timer of 0 ms is 1 ms on Node. */
const shortestTimer = 1

/** The wall clock may be adjusted by this much without a suspend, in ms. */
const maxAdjustment = 2_000

/**
 * Monotonic time that includes suspends of the machine: it advances by what the clock advanced that advanced more. The
 * monotonic clock of Linux stands still during a suspend; those of macOS and Windows proceed. A wall clock that is set
 * forward has the same effect: values become stale although they are current, which is the safe error.
 */
const suspendAware = (wallClock: () => number, monotonic: () => number) => {
  // Not variables: V8 overwrites the number of a field in place, and allocates that of a variable of a closure.
  const state = { suspendedMs: 0, distance: wallClock() - monotonic() }
  const compare = (now: number, wall: number): void => {
    const distance = wall - now
    const advanced = distance - state.distance
    if (advanced > maxAdjustment) state.suspendedMs += advanced
    state.distance = distance
  }
  return {
    elapsed: (): number => {
      const now = monotonic()
      compare(now, wallClock())
      return now + state.suspendedMs
    },
    elapsedInTick: (): number => monotonic() + state.suspendedMs,
    wallClock: (): number => {
      const wall = wallClock()
      compare(monotonic(), wall)
      return wall
    },
  }
}

/**
 * The clock of the system, with the timers that are installed at the time of this call. Fake timers of a test that are
 * installed later do not affect it.
 */
export const systemClock = (): Clock => {
  // The objects, not their methods: `performance.now` must be called on `performance`.
  const { Date, performance, setInterval, clearInterval } = globalThis
  const { setTimeout, clearTimeout } = globalThis
  const startMacrotask = macrotasks()
  return {
    isVirtual: false,
    ...suspendAware(
      // eslint-disable-next-line no-restricted-properties -- the library's other code takes the time from here
      () => Date.now(),
      () => performance.now(),
    ),
    startInterval: (callback, ms) => {
      const handle = setInterval(callback, ms)
      return () => clearInterval(handle)
    },
    startImmediate: (callback) => {
      const handle = realImmediate.setImmediate(callback)
      return () => realImmediate.clearImmediate(handle)
    },
    // Node reads sockets between timers and immediates, Deno only before timers.
    afterRead: (callback) => {
      let cancel = (): void => undefined
      const timer = setTimeout(() => {
        cancel = startMacrotask(callback)
      }, shortestTimer)
      return () => {
        clearTimeout(timer)
        cancel()
      }
    },
  }
}
