import type { VirtualClock, VirtualTimer } from './clock.js'
import { setVirtualClock } from './current-clock.js'
import {
  areWritten,
  noDelegates,
  readDelegates,
  realInterval,
  replaceInterval,
  schedulers,
  writeDelegates,
  type IntervalHandle,
  type RxDelegates,
  type SchedulerState,
} from './rx-providers.js'

// RxJS has one set of clocks, timers and scheduler queues for the whole process. A context is such a set. One context is
// active at a time: the real one, or that of a virtual clock.

export class RxContext {
  /** Those of the real context while it is not active. All virtual clocks have the same. */
  private readonly delegates: RxDelegates
  private readonly asap: SavedQueue = { state: undefined }
  private readonly queue: SavedQueue = { state: undefined }
  private readonly async: SavedQueue = { state: undefined }
  private readonly frame: SavedQueue = { state: undefined }
  /**
   * True if a scheduler may have actions of this context: since an immediate, a frame or the firing of a timer. Actions that
   * `queueScheduler` runs at once are not counted.
   */
  mayHaveActions: boolean

  constructor(readonly clock?: VirtualClock) {
    this.delegates = clock === undefined ? noDelegates() : virtualDelegates
    this.mayHaveActions = clock === undefined
  }

  /** Makes this context active after another one. A sweep does so several times for each row and parameter. */
  replace(before: RxContext): void {
    const isSame = this.delegates === before.delegates
    if (before.clock === undefined) readDelegates(before.delegates)
    // A `TestScheduler` inside of a strategy resets them.
    if (!isSame || !areWritten(this.delegates)) writeDelegates(this.delegates)
    if (this.mayHaveActions || before.mayHaveActions || schedulers.queue._active) this.replaceQueues(before)
  }

  private replaceQueues(before: RxContext): void {
    swap(schedulers.asap, before.asap, this.asap)
    swap(schedulers.queue, before.queue, this.queue)
    swap(schedulers.async, before.async, this.async)
    swap(schedulers.frame, before.frame, this.frame)
    before.mayHaveActions = before.clock === undefined || before.hasActions
  }

  /** True if actions are saved. */
  private get hasActions(): boolean {
    return (this.asap.state ?? this.queue.state ?? this.async.state ?? this.frame.state) !== undefined
  }
}

/** The queue of a scheduler while its context is not active; `undefined` if it has no actions. */
interface SavedQueue {
  state: SchedulerState | undefined
}

/** Saves the queue of one context, and restores that of another. */
const swap = (scheduler: SchedulerState, before: SavedQueue, after: SavedQueue): void => {
  const { actions, _active, _scheduled } = scheduler
  const isUsed = _active || _scheduled !== undefined || actions.length > 0
  const { state } = after
  if (!isUsed && state === undefined) return
  if (isUsed) before.state = { actions, _active, _scheduled }
  scheduler.actions = state?.actions ?? []
  scheduler._active = state?._active ?? false
  scheduler._scheduled = state?._scheduled
  after.state = undefined
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
  context.replace(before)
  active = context
  setVirtualClock(context.clock)
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

/** The context to return to: the given one, or the real one once its clock is disposed of. */
export const enterUnlessDisposed = (context: RxContext): RxContext =>
  enterContext(context.clock?.disposed === true ? realContext : context)

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
  const scheduler = Object.values(schedulers).find(({ _scheduled }) => _scheduled === timer)
  if (scheduler === undefined) return false
  const open = scheduler.actions.filter(({ closed }) => !closed)
  scheduler.actions.splice(0, Infinity, ...open)
  if (open.length === 0) scheduler._scheduled = undefined
  return open.length === 0
}

/** While virtual timers are pending, RxJS must be able to clear them in real time too. */
const keepClearing = (): void => {
  if (pendingTimers > 0) replaceInterval(undefined, interval)
  else replaceInterval(interval, undefined)
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

/** The clock of the active context, which is virtual. */
const virtualClock = (): VirtualClock => {
  const { clock } = active
  if (clock === undefined) throw new Error('time is real')
  return clock
}

/** Immediates and frames belong to the queues of the context, so those of a disposed clock are virtual too. */
const virtualDelegates: RxDelegates = {
  date: { now: () => virtualClock().now() },
  performance: { now: () => virtualClock().elapsed() },
  interval,
  immediate: {
    setImmediate: (handler) => {
      active.mayHaveActions = true
      return handleOf(virtualClock().addImmediate(handler))
    },
    clearImmediate: (handle) => void cancelVirtual(handle),
  },
  frame: {
    requestAnimationFrame: (callback) => {
      active.mayHaveActions = true
      return virtualClock().addFrame(callback) as unknown as number
    },
    cancelAnimationFrame: (handle) => void cancelVirtual(handle),
  },
}
