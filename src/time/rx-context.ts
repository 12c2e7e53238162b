import {
  readDelegates,
  realInterval,
  schedulers,
  writeDelegates,
  type IntervalHandle,
  type RxDelegates,
  type SchedulerState,
} from './rx-providers.js'

// RxJS has one set of clocks, timers and scheduler queues for the whole process. A context is such a set. One context is
// active at a time: the real one, or that of a virtual clock.

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
  /** Calls back every `ms` ms, like `setInterval`. */
  addTimer(callback: () => void, ms: number): VirtualTimer
  /** Calls back once, after the current tick. */
  addImmediate(callback: () => void): VirtualTimer
  /** Calls back once, with the time of the next animation frame. */
  addFrame(callback: (time: number) => void): VirtualTimer
  cancel(timer: VirtualTimer): void
}

export class RxContext {
  /** The delegates while the context is not active; those of a virtual clock never change. */
  private delegates: RxDelegates
  /** The queues of the schedulers while the context is not active. */
  private readonly queues: readonly SchedulerState[] = schedulers.map(() => ({
    actions: [],
    _active: false,
    _scheduled: undefined,
  }))

  constructor(readonly clock?: VirtualClock) {
    this.delegates = clock === undefined ? readDelegates() : delegatesOf(clock)
  }

  /** Called before another context becomes active. */
  save(): void {
    if (this.clock === undefined) this.delegates = readDelegates()
    schedulers.forEach((scheduler, index) => copyState(scheduler, this.queues[index]))
  }

  /** Called when the context becomes active. */
  load(): void {
    writeDelegates(this.delegates)
    schedulers.forEach((scheduler, index) => copyState(this.queues[index], scheduler))
  }
}

const copyState = (from: SchedulerState | undefined, to: SchedulerState | undefined): void => {
  if (from === undefined || to === undefined) return
  to.actions = from.actions
  to._active = from._active
  to._scheduled = from._scheduled
}

export const realContext = new RxContext()

let active = realContext
/** The number of timers of all virtual clocks that have neither fired nor been cancelled. */
let pendingTimers = 0

export const activeContext = (): RxContext => active

/** Makes a context active. Returns the one that was active before. */
export const enterContext = (context: RxContext): RxContext => {
  const before = active
  if (context === before) return before
  before.save()
  context.load()
  active = context
  if (context === realContext) keepClearing()
  return before
}

/** Runs work in a context. */
export const runInContext = <A>(context: RxContext, work: () => A): A => {
  const before = enterContext(context)
  try {
    return work()
  } finally {
    enterContext(before)
  }
}

/** Returns a function that runs work in the context of this call; in real time once its clock is disposed of. */
export const captureContext = (): (<A>(work: () => A) => A) => {
  const context = active
  return (work) => runInContext(context.clock?.disposed === true ? realContext : context, work)
}

export const onTimerAdded = (): void => {
  pendingTimers++
}

/** Has no effect on a timer that is cancelled already. */
export const markCancelled = (timer: VirtualTimer): void => {
  if (timer.cancelled) return
  timer.cancelled = true
  pendingTimers--
  if (active === realContext) keepClearing()
}

/**
 * True if a timer only runs the actions of a scheduler, and all of them were cancelled. While another context is active, RxJS
 * does not find the queue of a cancelled action. Must be called in the context of the timer.
 */
export const hasNothingToRun = (timer: VirtualTimer): boolean => {
  const scheduler = schedulers.find(({ _scheduled }) => _scheduled === timer)
  if (scheduler === undefined) return false
  const open = scheduler.actions.filter(({ closed }) => !closed)
  scheduler.actions.splice(0, Infinity, ...open)
  if (open.length === 0) scheduler._scheduled = undefined
  return open.length === 0
}

/** While virtual timers are pending, RxJS must be able to clear them in real time too. */
const keepClearing = (): void => {
  const delegates = readDelegates()
  if (pendingTimers > 0 && delegates.interval === undefined) writeDelegates({ ...delegates, interval })
  if (pendingTimers === 0 && delegates.interval === interval)
    writeDelegates({ ...delegates, interval: undefined })
}

/** The clock that runs new timers; undefined if they are real. */
const timerClock = (): VirtualClock | undefined =>
  active.clock?.disposed === true ? undefined : active.clock

const handleOf = (timer: VirtualTimer): IntervalHandle => timer as unknown as IntervalHandle

/** Cancels a virtual timer. Returns false if the handle is a real one. */
const cancelVirtual = (handle: unknown): boolean => {
  if (typeof handle !== 'object' || handle === null || !('cancelled' in handle)) return false
  const timer = handle as VirtualTimer
  timer.owner.cancel(timer)
  return true
}

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

/** Immediates and frames belong to the queues of the context, so those of a disposed clock are virtual too. */
const delegatesOf = (clock: VirtualClock): RxDelegates => ({
  date: clock,
  performance: clock,
  interval,
  immediate: {
    setImmediate: (handler) => handleOf(clock.addImmediate(handler)),
    clearImmediate: (handle) => void cancelVirtual(handle),
  },
  frame: {
    requestAnimationFrame: (callback) => clock.addFrame(callback) as unknown as number,
    cancelAnimationFrame: (handle) => void cancelVirtual(handle),
  },
})
