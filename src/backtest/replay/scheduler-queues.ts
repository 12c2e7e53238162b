import { animationFrameScheduler, asapScheduler, asyncScheduler, queueScheduler } from 'rxjs'

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
  /** The handle of the immediate or frame that runs the actions. */
  _scheduled: unknown
}

/** The states of all schedulers. */
export type SchedulerQueues = Readonly<Record<'asap' | 'queue' | 'async' | 'frame', SchedulerState>>

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
