import {
  readDelegates,
  realImmediate,
  realInterval,
  writeDelegates,
  type IntervalHandle,
  type RxDelegates,
} from './rx-providers.js'

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
  addTimer(callback: () => void, delay: number): VirtualTimer
  addImmediate(callback: () => void): VirtualTimer
  cancel(timer: VirtualTimer): void
}

/** Runs a function in one clock. */
export type RunInClock = <A>(work: () => A) => A

interface ActiveState {
  readonly clock: VirtualClock | undefined
  readonly delegates: RxDelegates
}

/** The active virtual clock, if time is not real. */
let current: VirtualClock | undefined
/** The delegates from before the first virtual clock was entered. */
let outerDelegates: RxDelegates = readDelegates()
/** The number of timers of all virtual clocks that have neither fired nor been cancelled. */
let pendingTimers = 0

/** Runs a function with a virtual clock. */
export const runWith = <A>(clock: VirtualClock, work: () => A): A => {
  const before = activeState()
  if (current === undefined) outerDelegates = before.delegates
  current = clock
  writeDelegates({ date: clock, performance: clock, interval, immediate })
  try {
    return work()
  } finally {
    activate(before)
  }
}

/**
 * Captures the active clock. A live client that is created in real time keeps real clocks and timers, even if a
 * replay calls it in virtual time.
 */
export const currentClock = (): RunInClock => {
  const clock = current
  return (work) => {
    if (current === clock) return work()
    if (clock !== undefined) return runWith(clock, work)
    const before = activeState()
    activate({ clock: undefined, delegates: outerDelegates })
    try {
      return work()
    } finally {
      activate(before)
    }
  }
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

const handleOf = (timer: VirtualTimer): IntervalHandle => timer as unknown as IntervalHandle

/** Cancels a virtual timer. Returns false if the handle is a real one. */
const cancelVirtual = (handle: unknown): boolean => {
  if (typeof handle !== 'object' || handle === null || !('cancelled' in handle)) return false
  const timer = handle as VirtualTimer
  timer.owner.cancel(timer)
  restoreIfUnused()
  return true
}

const interval: NonNullable<RxDelegates['interval']> = {
  setInterval: (handler, timeout = 0) =>
    current === undefined
      ? realInterval.setInterval(handler, timeout)
      : handleOf(current.addTimer(handler, timeout)),
  clearInterval: (handle) => {
    if (!cancelVirtual(handle)) realInterval.clearInterval(handle)
  },
}

const immediate: NonNullable<RxDelegates['immediate']> = {
  setImmediate: (handler) =>
    current === undefined ? realImmediate.setImmediate(handler) : handleOf(current.addImmediate(handler)),
  clearImmediate: (handle) => {
    if (!cancelVirtual(handle)) realImmediate.clearImmediate(handle)
  },
}
