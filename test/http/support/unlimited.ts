import { RequestLimiter } from '../../../src/http/request-limiter.js'
import { rxClock } from '../../../src/time/rx-clock.js'

/** Sends every request at once. */
export const unlimited = new RequestLimiter({
  clock: rxClock,
  maxRequestsPerSecond: Infinity,
  maxConcurrentRequests: Infinity,
})
