import { realNow } from './real-clock.js'

/** In ms. */
const interval = 25

/** Reports when the event loop did not run: from when to when, in ms since the epoch. Returns how it is stopped. */
export const watchPauses = (onPause: (from: number, to: number) => void): (() => void) => {
  let last = realNow()
  const timer = setInterval(() => {
    const now = realNow()
    if (now - last > 2 * interval) onPause(last + interval, now)
    last = now
  }, interval)
  return () => clearInterval(timer)
}
