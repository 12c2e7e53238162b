import { asapScheduler, asyncScheduler, queueScheduler } from 'rxjs'

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

/** The states of all schedulers. */
export type SchedulerQueues = readonly SchedulerState[]

/** RxJS's schedulers, each with one queue for the whole process. */
export const schedulers = [
  asapScheduler,
  queueScheduler,
  asyncScheduler,
] as unknown as readonly SchedulerState[]

export const isQueueActive = (): boolean => (queueScheduler as unknown as SchedulerState)._active

/** True if a scheduler has actions, or runs one. */
export const haveActions = (): boolean =>
  schedulers.some(
    ({ actions, _active, _scheduled }) => _active || _scheduled !== undefined || actions.length > 0,
  )

/** Removes the actions of all schedulers, and returns them. */
export const takeQueues = (): SchedulerQueues =>
  schedulers.map((scheduler) => {
    const { actions, _active, _scheduled } = scheduler
    Object.assign(scheduler, { actions: [], _active: false, _scheduled: undefined })
    return { actions, _active, _scheduled }
  })

export const restoreQueues = (queues: SchedulerQueues): void =>
  schedulers.forEach((scheduler, index) => Object.assign(scheduler, queues[index]))
