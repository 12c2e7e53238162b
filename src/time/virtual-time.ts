import { throwError } from 'rxjs'
import { dateTimestampProvider } from 'rxjs/internal/scheduler/dateTimestampProvider'
import { immediateProvider } from 'rxjs/internal/scheduler/immediateProvider'
import { intervalProvider } from 'rxjs/internal/scheduler/intervalProvider'
import { performanceTimestampProvider } from 'rxjs/internal/scheduler/performanceTimestampProvider'
import { Immediate } from 'rxjs/internal/util/Immediate'
import TinyQueue from 'tinyqueue'

/** What Rx has asked to be called for, and when. */
interface Task {
  due: number
  /** Of tasks that are due at once, that with the lower number goes first. */
  order: number
  /** How often, in ms; 0 for once. */
  readonly period: number
  readonly call: () => void
  /** Whose it is: who cancels it may live in another time. */
  readonly time: VirtualTime
  cancelled: boolean
}

/** At the same time, what is to be done immediately goes before all timers. */
const immediately = -(2 ** 52)

/**
 * A time of its own, in ms since the Unix epoch, that only moves when it is told to. What is done inside `run` lives
 * in it: Rx's clocks show it, and the timers of Rx that are made there wait for it. Elsewhere time is as it always
 * was, which sets it apart from `TestScheduler.run`: a process can live in both.
 */
export class VirtualTime {
  private tasks = queueOf([])
  private asked = 0
  /** Since the queue was last rid of them. */
  private cancelled = 0

  constructor(private time: number) {}

  readonly now = (): number => this.time

  run<A>(work: () => A): A {
    const before = enter(this)
    try {
      return work()
    } finally {
      provide(before)
    }
  }

  /** Moves on to a time, never back, and does what is due by then on the way. To be called inside `run`. */
  advance(to: number): void {
    for (let task = this.tasks.peek(); task !== undefined && task.due <= to; task = this.tasks.peek()) {
      this.tasks.pop()
      if (!task.cancelled) this.perform(task)
    }
    this.time = Math.max(this.time, to)
  }

  timer(call: () => void, delay: number): Task {
    return this.add({ due: this.time + delay, order: this.asked++, period: Math.max(1, delay), call })
  }

  immediate(call: () => void): Task {
    return this.add({ due: this.time, order: immediately + this.asked++, period: 0, call })
  }

  /** A timer that is set anew with each price is cancelled long before it is due: the queue is not to fill with such. */
  cancel(task: Task): void {
    task.cancelled = true
    if (++this.cancelled <= this.tasks.length / 2) return
    this.tasks = queueOf(this.tasks.data.filter(({ cancelled }) => !cancelled))
    this.cancelled = 0
  }

  private add(asked: Omit<Task, 'cancelled' | 'time'>): Task {
    const task = { ...asked, time: this, cancelled: false }
    this.tasks.push(task)
    return task
  }

  private perform(task: Task): void {
    this.time = Math.max(this.time, task.due)
    if (task.period > 0) {
      task.due += task.period
      task.order = this.asked++
      this.tasks.push(task)
    }
    try {
      task.call()
    } catch (thrown) {
      // To Rx, what has thrown is over; a `TestScheduler` that was run meanwhile keeps it from saying so.
      this.cancel(task)
      // As Rx reports what is thrown in a timer: to the process, and not to who moves the time.
      throwError(() => thrown).subscribe()
    }
  }
}

const queueOf = (tasks: Task[]): TinyQueue<Task> =>
  new TinyQueue(tasks, (a, b) => a.due - b.due || a.order - b.order)

// Rx asks these providers for the time and for timers, and lets them be replaced.

/** The time that is lived in, where it is not the real one. */
let current: VirtualTime | undefined
/** What there was when a virtual time was entered from none. */
let outside: Providers | undefined

/** Does something in a time. */
export type RunInClock = <A>(work: () => A) => A

/**
 * Does things in the time that this is called in, from wherever that is done: what lives in real time does not have its
 * clocks and timers from a virtual one that it is only called from.
 */
export const currentClock = (): RunInClock => {
  const here = current
  return (work) => {
    if (current === here) return work()
    if (here !== undefined) return here.run(work)
    const before = providers()
    if (outside !== undefined) provide(outside)
    try {
      return work()
    } finally {
      provide(before)
    }
  }
}

const enter = (virtual: VirtualTime): Providers => {
  const before = providers()
  if (current === undefined) outside = before
  current = virtual
  dateTimestampProvider.delegate = virtual
  performanceTimestampProvider.delegate = virtual
  intervalProvider.delegate = intervals
  immediateProvider.delegate = immediates
  return before
}

type Providers = ReturnType<typeof providers>

const providers = () => ({
  current,
  date: dateTimestampProvider.delegate,
  performance: performanceTimestampProvider.delegate,
  interval: intervalProvider.delegate,
  immediate: immediateProvider.delegate,
})

// Where nobody else had them, timers stay ours: one may be cleared in another time than it was made in.
const provide = (before: Providers): void => {
  current = before.current
  dateTimestampProvider.delegate = before.date
  performanceTimestampProvider.delegate = before.performance
  intervalProvider.delegate = before.interval ?? intervals
  immediateProvider.delegate = before.immediate ?? immediates
}

type Handle = ReturnType<typeof intervalProvider.setInterval>

/** To Rx a handle is what it gives back to have a timer cleared, whatever it is. */
const handleOf = (task: Task): Handle => task as unknown as Handle

const wasCancelled = (handle: Handle): boolean => {
  if (typeof handle !== 'object' || !('cancelled' in handle)) return false
  const task = handle as unknown as Task
  task.time.cancel(task)
  return true
}

// Where time is real, what Rx would have done without us.
const intervals: NonNullable<typeof intervalProvider.delegate> = {
  setInterval: (handler, timeout = 0) =>
    // eslint-disable-next-line no-restricted-globals -- it is what Rx's own time is made of
    current === undefined ? setInterval(handler, timeout) : handleOf(current.timer(handler, timeout)),
  clearInterval: (handle) => {
    if (!wasCancelled(handle)) clearInterval(handle)
  },
}

const immediates: NonNullable<typeof immediateProvider.delegate> = {
  setImmediate: (handler) =>
    current === undefined ? Immediate.setImmediate(handler) : handleOf(current.immediate(handler)),
  clearImmediate: (handle) => {
    if (!wasCancelled(handle)) Immediate.clearImmediate(handle as number)
  },
}
