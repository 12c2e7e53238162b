import type { Clock } from './clock.js'
import { macrotasks } from './macrotask.js'
import { realImmediate } from './rx-providers.js'

/** In ms. A timer of 0 ms is 1 ms on Node. */
const shortestTimer = 1

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
    elapsed: () => performance.now(),
    // eslint-disable-next-line no-restricted-properties -- the library's other code takes the time from here
    wallClock: () => Date.now(),
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
