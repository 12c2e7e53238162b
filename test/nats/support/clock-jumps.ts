import { realNow } from './real-clock.js'

// Import this before the library: it replaces the clocks of the process by ones that can jump.

/** A longer time between two readings of the clock is a suspend, in ms. The library reads it every 100 ms. */
const shortestSuspend = 700

const realElapsed = performance.now.bind(performance)

let wallShift = 0
let suspended = 0
let lastLook = realElapsed()
let standsStill = false

Date.now = () => realNow() + wallShift

performance.now = () => {
  const now = realElapsed()
  if (standsStill && now - lastLook > shortestSuspend) suspended += now - lastLook
  lastLook = now
  return now - suspended
}

/** Sets the time of day forward, or back. */
export const jumpWallClock = (ms: number): void => {
  wallShift += ms
}

/** From now on, the monotonic clock does not proceed while the process is stopped, as in a machine that is suspended. */
export const suspendClockWithProcess = (): void => {
  standsStill = true
}
