import { callAtOnce, type Clock } from './clock.js'
import { rxClock } from './rx-clock.js'
import {
  isVirtualTime,
  readDelegates,
  realImmediate,
  realInterval,
  writeDelegates,
  type IntervalHandle,
  type RxDelegates,
} from './rx-providers.js'
import { systemClock } from './system-clock.js'

// The active clock, real or virtual. RxJS's clocks and timers run on it.

/** A timer of a virtual clock. RxJS receives it as an opaque handle. */
export interface VirtualTimer {
  /** The clock of the timer: another one may be active when the timer is cleared. */
  readonly owner: VirtualClock
  cancelled: boolean
}

export interface VirtualClock {
  /** In ms since the Unix epoch. */
  readonly now: () => number
  /** True if new timers are real. */
  readonly disposed: boolean
  /** Of `delegatesOf`. */
  readonly delegates: RxDelegates
  addTimer(callback: () => void, delay: number): VirtualTimer
  addImmediate(callback: () => void): VirtualTimer
  cancel(timer: VirtualTimer): void
}

interface ActiveState {
  readonly clock: VirtualClock | undefined
  readonly delegates: RxDelegates
}

/** The active virtual clock, if time is not real. */
let current: VirtualClock | undefined
/** The number of timers of all virtual clocks that have neither fired nor been cancelled. */
let pendingTimers = 0

/** What makes RxJS's clocks and timers run on a virtual clock. Created once: a replay runs the clock for each row. */
export const delegatesOf = (clock: Pick<VirtualClock, 'now'>): RxDelegates => ({
  date: clock,
  performance: clock,
  interval,
  immediate,
})

/** Runs a function with a virtual clock. */
export const runWith = <A>(clock: VirtualClock, work: () => A): A => {
  const before = activeState()
  current = clock
  writeDelegates(clock.delegates)
  try {
    return work()
  } finally {
    activate(before)
  }
}

/**
 * The clock that is active at the time of this call. A client keeps the clock under which it was created, whatever
 * clock is active when it is used: inside `TestScheduler.run`, inside a replay, or under fake timers.
 */
export const currentClock = (): Clock => {
  if (current !== undefined) return clockOf(current)
  return isVirtualTime() ? rxClock : systemClock()
}

export const onTimerAdded = (): void => {
  pendingTimers++
}

/** Has no effect on a timer that is cancelled already. */
export const markCancelled = (timer: VirtualTimer): void => {
  if (timer.cancelled) return
  timer.cancelled = true
  pendingTimers--
}

/** Removes the delegates that were kept for pending timers, once there are none. */
export const restoreIfUnused = (): void => {
  if (current !== undefined || pendingTimers > 0) return
  const delegates = readDelegates()
  if (delegates.interval !== interval && delegates.immediate !== immediate) return
  writeDelegates({
    ...delegates,
    interval: delegates.interval === interval ? undefined : delegates.interval,
    immediate: delegates.immediate === immediate ? undefined : delegates.immediate,
  })
}

const activeState = (): ActiveState => ({ clock: current, delegates: readDelegates() })

const activate = ({ clock, delegates }: ActiveState): void => {
  current = clock
  writeDelegates(delegates)
  if (current === undefined && pendingTimers > 0) {
    // While virtual timers are pending, RxJS must be able to clear them in real time too.
    writeDelegates({
      ...delegates,
      interval: delegates.interval ?? interval,
      immediate: delegates.immediate ?? immediate,
    })
  }
  restoreIfUnused()
}

const clockOf = (clock: VirtualClock): Clock => {
  const { startInterval, startImmediate } = systemClock()
  return {
    isVirtual: true,
    elapsed: clock.now,
    wallClock: clock.now,
    startInterval: (callback, ms) =>
      clock.disposed ? startInterval(callback, ms) : cancelOf(clock.addTimer(callback, ms)),
    startImmediate: (callback) =>
      clock.disposed ? startImmediate(callback) : cancelOf(clock.addImmediate(callback)),
    afterRead: callAtOnce,
  }
}

const cancelOf = (timer: VirtualTimer) => (): void => void cancelVirtual(timer)

const handleOf = (timer: VirtualTimer): IntervalHandle => timer as unknown as IntervalHandle

/** Cancels a virtual timer. Returns false if the handle is a real one. */
const cancelVirtual = (handle: unknown): boolean => {
  if (typeof handle !== 'object' || handle === null || !('cancelled' in handle)) return false
  const timer = handle as VirtualTimer
  timer.owner.cancel(timer)
  restoreIfUnused()
  return true
}

/** The clock that runs new timers; undefined if they are real. */
const timerClock = (): VirtualClock | undefined => (current?.disposed === true ? undefined : current)

const interval: NonNullable<RxDelegates['interval']> = {
  setInterval: (handler, timeout = 0) => {
    const clock = timerClock()
    return clock === undefined
      ? realInterval.setInterval(handler, timeout)
      : handleOf(clock.addTimer(handler, timeout))
  },
  clearInterval: (handle) => {
    if (!cancelVirtual(handle)) realInterval.clearInterval(handle)
  },
}

const immediate: NonNullable<RxDelegates['immediate']> = {
  setImmediate: (handler) => {
    const clock = timerClock()
    return clock === undefined ? realImmediate.setImmediate(handler) : handleOf(clock.addImmediate(handler))
  },
  clearImmediate: (handle) => {
    if (!cancelVirtual(handle)) realImmediate.clearImmediate(handle)
  },
}
