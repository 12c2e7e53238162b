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

// Not in the file of the contexts, which imports all schedulers of RxJS: a page would load them.
let replayClock: Clock | undefined

/** Called when the clock of a replay becomes active, or the real one. */
export const setReplayClock = (clock: Clock | undefined): void => {
  replayClock = clock
}

/** The clock of the replay that is active at the time of this call. After the replay it continues in real time. */
export const activeReplayClock = (): Clock | undefined => replayClock

const realTime = {}

/** A key for the state of one strategy: the clock of its replay, or one object for all that runs in real time. */
export const activeTimeKey = (): object => replayClock ?? realTime

/**
 * The clock that is active at the time of this call. A client keeps the clock that was active at its creation, even if
 * another clock is active when the client is used: inside `TestScheduler.run`, inside a replay, or under fake timers.
 */
export const currentClock = (): Clock => replayClock ?? (isVirtualTime() ? rxClock : systemClock())
