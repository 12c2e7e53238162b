import { callAtOnce, type Clock, type VirtualClock, type VirtualTimer } from './clock.js'
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
let virtualClock: VirtualClock | undefined

/** Called when the context of a virtual clock becomes active, or the real one. */
export const setVirtualClock = (clock: VirtualClock | undefined): void => {
  virtualClock = clock
}

/** The virtual clock that is active at the time of this call. It may be disposed of. */
export const activeVirtualClock = (): VirtualClock | undefined => virtualClock

const realTime = {}

/** A key for the state of one strategy: its virtual clock, or one object for all that runs in real time. */
export const activeTimeKey = (): object => virtualClock ?? realTime

/**
 * The clock that is active at the time of this call. A client keeps the clock that was active at its creation, even if
 * another clock is active when the client is used: inside `TestScheduler.run`, inside a replay, or under fake timers.
 */
export const currentClock = (): Clock => {
  const clock = virtualClock
  if (clock !== undefined && !clock.disposed) return virtualOrReal(clock)
  return isVirtualTime() && clock === undefined ? rxClock : systemClock()
}

/** The clock of a replay until it is disposed of, and then that of the system. */
const virtualOrReal = (clock: VirtualClock): Clock => {
  const system = systemClock()
  return {
    get isVirtual() {
      return !clock.disposed
    },
    elapsed: clock.elapsed,
    wallClock: clock.now,
    startInterval: (callback, ms) =>
      clock.disposed ? system.startInterval(callback, ms) : cancelOf(clock.addTimer(callback, ms)),
    startImmediate: (callback) =>
      clock.disposed ? system.startImmediate(callback) : cancelOf(clock.addImmediate(callback)),
    afterRead: (callback) => (clock.disposed ? system.afterRead(callback) : callAtOnce(callback)),
  }
}

const cancelOf = (timer: VirtualTimer) => (): void => timer.owner.cancel(timer)
