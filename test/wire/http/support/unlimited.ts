import { RequestLimiter } from '../../../../src/wire/http/request-limiter.js'
import { rxClock } from '../../../../src/base/time/clock.js'

/** Sends every request at once. */
export const unlimited = new RequestLimiter({
  clock: rxClock,
  maxRequestsPerSecond: Infinity,
  maxConcurrentRequests: Infinity,
})
