import { asapScheduler, asyncScheduler, queueScheduler } from 'rxjs'
import {
  asapProvider,
  type Clock,
  dateProvider,
  performanceProvider,
  realImmediate,
  setReplayClock,
  timerProvider,
  type ImmediateDelegate,
  type IntervalDelegate,
  type IntervalHandle,
  type PerformanceDelegate,
} from '../../base/time/clock.js'

// RxJS has one set of clocks, timers and scheduler queues for the whole process. A context is such a set. One context is
// active at a time: the real one, or that of a virtual clock.

export class RxContext {
  /** `undefined` in the real context. */
  readonly clock: Clock | undefined
  /** True if new timers are real. */
  disposed = false
  /** True if a scheduler may have actions of this context: since an immediate or the firing of a timer. Always true with other delegates, which report none. */
  mayHaveActions = true
  /** The actions of the schedulers while this context is not active; `undefined` without actions. */
  private queues: SchedulerQueues | undefined

  /** Replaces the delegates and the queues of another context. */
  replace(before: RxContext): void {
    if (this.clock === undefined && !areKept()) writeDelegates(realDelegates)
    else if (!areVirtual()) {
      // Not written: the real context was active, or a `TestScheduler` inside of a strategy has reset them.
      if (before.clock === undefined) realDelegates = readDelegates()
      writeDelegates(contextDelegates)
    }
    const hasActions = haveActions()
    if (hasActions) before.queues = takeQueues()
    if (this.queues !== undefined) restoreQueues(this.queues)
    this.queues = undefined
    before.mayHaveActions = hasActions || (before.clock === undefined && !areKept())
  }
}

/** The delegates of the providers, except that of animation frames. */
export interface RxDelegates {
  readonly date: { readonly now: () => number } | undefined
  readonly performance: PerformanceDelegate | undefined
  readonly interval: IntervalDelegate | undefined
  readonly immediate: ImmediateDelegate | undefined
}

export const readDelegates = (): RxDelegates => ({
  date: dateProvider.delegate,
  performance: performanceProvider.delegate,
  interval: timerProvider.delegate,
  immediate: asapProvider.delegate,
})

const writeDelegates = ({ date, performance, interval, immediate }: RxDelegates): void => {
  dateProvider.delegate = date
  performanceProvider.delegate = performance
  timerProvider.delegate = interval
  asapProvider.delegate = immediate
}

/** True while the delegates are those of the contexts, unless another clock is set. */
const areVirtual = (): boolean => dateProvider.delegate === contextDelegates.date

export const realContext = new RxContext()
/** Those of the real context while the others are written. */
let realDelegates = readDelegates()

/** True while rows are played. */
let isPlaying = false

/** True if the real context keeps the delegates of the contexts, which pass its calls on: it has none of others. */
const areKept = (): boolean =>
  isPlaying && Object.values(realDelegates).every((each) => each === undefined || each === interval)

let active = realContext
/** The number of timers of all virtual clocks that have neither fired nor been cancelled. */
let pendingTimers = 0

export const activeContext = (): RxContext => active

/** Makes a context active: several times for each row, and in a sweep for each parameter. Returns the one that was active before. */
export const enterContext = (context: RxContext): RxContext => {
  const before = active
  if (context === before) return before
  const areIdle = !context.mayHaveActions && !before.mayHaveActions && !isQueueActive()
  if (!areIdle || !areVirtual()) context.replace(before)
  active = context
  setReplayClock(context.clock)
  if (context === realContext) keepClearing()
  return before
}

export const runInContext = <A>(context: RxContext, work: () => A): A => {
  const before = enterContext(context)
  try {
    return work()
  } finally {
    enterContext(before)
  }
}

/** Runs work that calls code of the real context for each row: the delegates are restored after all of it. */
export const playInContexts = <A>(work: () => A): A => {
  const before = isPlaying
  isPlaying = true
  try {
    return work()
  } finally {
    restoreDelegates()
    isPlaying = before
  }
}

/** Ends the work of `playInContexts` for the delegates: at its end, or earlier. */
export const restoreDelegates = (): void => {
  isPlaying = false
  realContext.mayHaveActions = true
  if (active !== realContext || !areVirtual()) return
  writeDelegates(realDelegates)
  keepClearing()
}

/** Makes a context active, or the real one once its clock is disposed of. Returns the one that was active before. */
export const enterUnlessDisposed = (context: RxContext): RxContext =>
  enterContext(context.disposed ? realContext : context)

export const onTimerAdded = (): void => {
  pendingTimers++
}

export const onTimerEnded = (): void => {
  pendingTimers--
  if (active === realContext) keepClearing()
}

/**
 * True if all actions of a timer were cancelled in other contexts, where RxJS does not find their queue. Call it in the context of the
 * timer, with the function that cancels it.
 */
export const hasNothingToRun = (cancel: () => void): boolean => {
  const scheduler = schedulers.find(({ _scheduled }) => _scheduled === cancel)
  if (scheduler === undefined) return false
  const open = scheduler.actions.filter(({ closed }) => !closed)
  scheduler.actions.splice(0, Infinity, ...open)
  if (open.length === 0) scheduler._scheduled = undefined
  return open.length === 0
}

/** While virtual timers are pending, RxJS must be able to clear them in real time too. */
const keepClearing = (): void => {
  if (areVirtual()) return
  const [before, after] = pendingTimers > 0 ? [undefined, interval] : [interval, undefined]
  if (timerProvider.delegate === before) timerProvider.delegate = after
}

/** RxJS receives the function that cancels a virtual timer as an opaque handle. */
const handleOf = (cancel: () => void): IntervalHandle => cancel as unknown as IntervalHandle

/** Another clock than that of the timer may be active. Returns false if the handle is a real one. */
const cancelVirtual = (handle: unknown): boolean => {
  if (typeof handle !== 'function') return false
  const cancel = handle as () => void
  cancel()
  return true
}

const interval: IntervalDelegate = {
  setInterval: (handler, timeout = 0) =>
    active.clock === undefined || active.disposed
      ? setInterval(handler, timeout)
      : handleOf(active.clock.startInterval(handler, timeout)),
  clearInterval: (handle) => {
    if (!cancelVirtual(handle)) clearInterval(handle)
  },
}

/**
 * Those of the active context, virtual or real. Immediates belong to the queues of the context: those of a disposed
 * clock are virtual too, and none is cleared in another context, where RxJS does not find the other actions of its queue.
 */
const contextDelegates: RxDelegates = {
  date: { now: () => active.clock?.wallClock() ?? Date.now() },
  performance: {
    now: () => active.clock?.elapsed() ?? performance.now(),
    get isReal() {
      return active.clock === undefined
    },
  },
  interval,
  immediate: {
    setImmediate: (handler) => {
      active.mayHaveActions = true
      const { clock } = active
      return clock === undefined
        ? realImmediate.setImmediate(handler)
        : handleOf(clock.startImmediate(handler))
    },
    clearImmediate: (handle) => {
      if (active.clock === undefined) realImmediate.clearImmediate(handle)
      else cancelVirtual(handle)
    },
  },
}

// The queues of RxJS's schedulers, whose types do not declare them. `test/package/versions.test.ts` runs a replay with the
// oldest and the newest version.

interface RxAction {
  readonly closed: boolean
}

/** The state of a scheduler: one queue of actions for the whole process. */
interface SchedulerState {
  actions: RxAction[]
  /** True while the scheduler runs its actions. */
  _active: boolean
  /** The handle of the immediate that runs the actions. */
  _scheduled: unknown
}

type SchedulerQueues = readonly SchedulerState[]

const schedulers = [asapScheduler, queueScheduler, asyncScheduler] as unknown as readonly SchedulerState[]

const isQueueActive = (): boolean => (queueScheduler as unknown as SchedulerState)._active

const haveActions = (): boolean =>
  schedulers.some(
    ({ actions, _active, _scheduled }) => _active || _scheduled !== undefined || actions.length > 0,
  )

const takeQueues = (): SchedulerQueues =>
  schedulers.map((scheduler) => {
    const { actions, _active, _scheduled } = scheduler
    Object.assign(scheduler, { actions: [], _active: false, _scheduled: undefined })
    return { actions, _active, _scheduled }
  })

const restoreQueues = (queues: SchedulerQueues): void =>
  schedulers.forEach((scheduler, index) => Object.assign(scheduler, queues[index]))
