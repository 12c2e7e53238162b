import { animationFrameScheduler, asapScheduler, asyncScheduler, queueScheduler } from 'rxjs'
import { animationFrameProvider } from 'rxjs/internal/scheduler/animationFrameProvider'
import { dateTimestampProvider } from 'rxjs/internal/scheduler/dateTimestampProvider'
import { immediateProvider } from 'rxjs/internal/scheduler/immediateProvider'
import { intervalProvider } from 'rxjs/internal/scheduler/intervalProvider'
import { performanceTimestampProvider } from 'rxjs/internal/scheduler/performanceTimestampProvider'
import { Immediate } from 'rxjs/internal/util/Immediate'

// The only file that imports RxJS's internals. RxJS reads its clocks and starts its timers through providers whose
// delegate can be replaced: that is how `TestScheduler.run` makes time virtual. The library runs on the providers, not
// on the schedulers above them. `asapScheduler` and `queueScheduler` drop queued actions after an action that throws,
// and `asyncScheduler` may stop permanently.

// Not the types of the providers: declarations of the package must not import internals of RxJS, or need the types of the DOM.

export type IntervalHandle = number | ReturnType<typeof setTimeout>

interface IntervalDelegate {
  readonly setInterval: (handler: () => void, timeout?: number, ...args: unknown[]) => IntervalHandle
  readonly clearInterval: (handle: IntervalHandle) => void
}

interface ImmediateDelegate {
  readonly setImmediate: (handler: () => void, ...args: unknown[]) => IntervalHandle
  readonly clearImmediate: (handle: IntervalHandle) => void
}

interface FrameDelegate {
  readonly requestAnimationFrame: (callback: (time: number) => void) => number
  readonly cancelAnimationFrame: (handle: number) => void
}

interface PerformanceDelegate {
  readonly now: () => number
  /** True if it gives the time of the platform. */
  readonly isReal?: boolean
}

/** The delegates of all providers. `undefined`: RxJS uses the platform's clock or timer. */
export interface RxDelegates {
  date: { readonly now: () => number } | undefined
  performance: PerformanceDelegate | undefined
  interval: IntervalDelegate | undefined
  immediate: ImmediateDelegate | undefined
  frame: FrameDelegate | undefined
}

/** Copies the delegates to an object: a replay does so for each row. */
export const readDelegates = (to: RxDelegates): void => {
  to.date = dateTimestampProvider.delegate
  to.performance = performanceTimestampProvider.delegate
  to.interval = intervalProvider.delegate
  to.immediate = immediateProvider.delegate
  to.frame = animationFrameProvider.delegate
}

export const writeDelegates = ({ date, performance, interval, immediate, frame }: RxDelegates): void => {
  dateTimestampProvider.delegate = date
  performanceTimestampProvider.delegate = performance
  intervalProvider.delegate = interval
  immediateProvider.delegate = immediate
  animationFrameProvider.delegate = frame
}

/** True unless another clock is set. */
export const areWritten = ({ date }: RxDelegates): boolean => dateTimestampProvider.delegate === date

export const noDelegates = (): RxDelegates => ({
  date: undefined,
  performance: undefined,
  interval: undefined,
  immediate: undefined,
  frame: undefined,
})

/** Lets RxJS clear virtual timers in real time, or no longer. */
export const replaceInterval = (
  before: IntervalDelegate | undefined,
  after: IntervalDelegate | undefined,
): void => {
  if (intervalProvider.delegate === before) intervalProvider.delegate = after
}

interface RxAction {
  readonly closed: boolean
}

/** The state of a scheduler: one queue of actions for the whole process. */
interface SchedulerState {
  actions: RxAction[]
  /** True while the scheduler runs its actions. */
  _active: boolean
  /** The handle of the immediate or frame that runs the actions. */
  _scheduled: unknown
}

/** The states of all schedulers. */
export type SchedulerQueues = Readonly<Record<'asap' | 'queue' | 'async' | 'frame', SchedulerState>>

// Not taken from an object: a bundler would put all of them into each page.
const asap = asapScheduler as unknown as SchedulerState
const queue = queueScheduler as unknown as SchedulerState
const async = asyncScheduler as unknown as SchedulerState
const frame = animationFrameScheduler as unknown as SchedulerState

/** RxJS's schedulers, each with one queue for the whole process. */
export const schedulers: SchedulerQueues = { asap, queue, async, frame }

/** True if a scheduler has actions, or runs one. Each scheduler has its own class, so a loop over them takes longer. */
export const haveActions = (): boolean =>
  asap._active ||
  asap._scheduled !== undefined ||
  asap.actions.length > 0 ||
  queue._active ||
  queue._scheduled !== undefined ||
  queue.actions.length > 0 ||
  async._active ||
  async._scheduled !== undefined ||
  async.actions.length > 0 ||
  frame._active ||
  frame._scheduled !== undefined ||
  frame.actions.length > 0

/** Removes the actions of all schedulers, and returns them. */
export const takeQueues = (): SchedulerQueues => ({
  asap: takeState(asap),
  queue: takeState(queue),
  async: takeState(async),
  frame: takeState(frame),
})

const takeState = (scheduler: SchedulerState): SchedulerState => {
  const { actions, _active, _scheduled } = scheduler
  restoreState(scheduler, { actions: [], _active: false, _scheduled: undefined })
  return { actions, _active, _scheduled }
}

export const restoreQueues = (queues: SchedulerQueues): void => {
  restoreState(asap, queues.asap)
  restoreState(queue, queues.queue)
  restoreState(async, queues.async)
  restoreState(frame, queues.frame)
}

const restoreState = (scheduler: SchedulerState, { actions, _active, _scheduled }: SchedulerState): void => {
  scheduler.actions = actions
  scheduler._active = _active
  scheduler._scheduled = _scheduled
}

/** The time of day, in ms since the Unix epoch. */
export const dateNow = (): number => dateTimestampProvider.now()

/** Monotonic time, in ms. */
export const performanceNow = (): number => performanceTimestampProvider.now()

export const isVirtualTime = (): boolean => {
  const delegate: PerformanceDelegate | undefined = performanceTimestampProvider.delegate
  return delegate !== undefined && delegate.isReal !== true
}

/** Calls back every `ms` ms. Returns the function that stops it. */
export const startInterval = (callback: () => void, ms: number): (() => void) => {
  const handle = intervalProvider.setInterval(callback, ms)
  return () => intervalProvider.clearInterval(handle)
}

/** Calls back once after the current tick. Returns the function that cancels it. */
export const startImmediate = (callback: () => void): (() => void) => {
  const handle = immediateProvider.setImmediate(callback)
  return () => immediateProvider.clearImmediate(handle)
}

/** RxJS's own timers, for a delegate that is active while time is real. */
export const realInterval: IntervalDelegate = {
  // eslint-disable-next-line no-restricted-globals -- RxJS's timers are based on it
  setInterval: (handler, timeout) => setInterval(handler, timeout),
  clearInterval: (handle) => clearInterval(handle),
}

export const realImmediate: ImmediateDelegate = {
  setImmediate: (handler) => Immediate.setImmediate(handler),
  clearImmediate: (handle) => Immediate.clearImmediate(handle as number),
}

/** The frames of the platform. Node has none. */
export const realFrame = globalThis as unknown as FrameDelegate
