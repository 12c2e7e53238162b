import { callAtOnce, type Clock } from './clock.js'
import { dateNow, isVirtualTime, performanceNow, startImmediate, startInterval } from './rx-providers.js'
import { systemClock } from './system-clock.js'

/**
 * RxJS's clock at the time of each call: virtual inside `TestScheduler.run` and inside a replay, real outside. For
 * operators, which run on the clock of their pipeline.
 */
export const rxClock: Clock = {
  get isVirtual() {
    return isVirtualTime()
  },
  elapsed: performanceNow,
  wallClock: dateNow,
  startInterval,
  startImmediate,
  afterRead: (callback) => (isVirtualTime() ? callAtOnce(callback) : systemClock().afterRead(callback)),
}
