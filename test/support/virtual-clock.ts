import { dateTimestampProvider } from 'rxjs/internal/scheduler/dateTimestampProvider'
import { immediateProvider } from 'rxjs/internal/scheduler/immediateProvider'
import { intervalProvider } from 'rxjs/internal/scheduler/intervalProvider'
import { performanceTimestampProvider } from 'rxjs/internal/scheduler/performanceTimestampProvider'
import { timeoutProvider } from 'rxjs/internal/scheduler/timeoutProvider'

/** Steps at one time, beyond which time is taken to stand still: an endless loop is to fail, not to hang. */
const mostAtOnce = 100_000

interface Task {
  due: number
  readonly act: () => void
  /** Whether it is done before all that is timed. */
  readonly immediate: boolean
  /** Undefined where it is done once. */
  readonly period: number | undefined
}

/**
 * Rx's time, played by hand. `TestScheduler.run` cannot stand in for it: it throws when of two timers due at one
 * time the first clears the second, as happens when a connection is hung up.
 */
export class VirtualClock {
  private time = 0
  private handles = 0
  private stepsAtOnce = 0
  private readonly tasks = new Map<number, Task>()

  now = (): number => this.time

  /** What is to happen still. */
  get pending(): number {
    return this.tasks.size
  }

  at(due: number, act: () => void): void {
    this.add({ due, act, immediate: false, period: undefined })
  }

  /** All that Rx schedules inside `act`, and later because of it, happens in this time. */
  run(act: () => void, until: number): void {
    const clear = (handle: unknown): void => void this.tasks.delete(handle as number)
    const after = (ms = 0): number => this.time + ms
    try {
      dateTimestampProvider.delegate = this
      performanceTimestampProvider.delegate = this
      immediateProvider.delegate = {
        setImmediate: (work) => this.add({ due: this.time, act: work, immediate: true, period: undefined }),
        clearImmediate: clear,
      }
      intervalProvider.delegate = {
        setInterval: (work, ms) => this.add({ due: after(ms), act: work, immediate: false, period: ms ?? 0 }),
        clearInterval: clear,
      }
      timeoutProvider.delegate = {
        setTimeout: (work, ms) =>
          this.add({ due: after(ms), act: work, immediate: false, period: undefined }),
        clearTimeout: clear,
      }
      act()
      while (this.step(until));
    } finally {
      dateTimestampProvider.delegate = undefined
      performanceTimestampProvider.delegate = undefined
      immediateProvider.delegate = undefined
      intervalProvider.delegate = undefined
      timeoutProvider.delegate = undefined
    }
  }

  private add(task: Task): number {
    this.tasks.set(++this.handles, task)
    return this.handles
  }

  private step(until: number): boolean {
    const next = this.next()
    if (next === undefined || next[1].due > until) return false
    const [handle, task] = next
    this.stepsAtOnce = task.due === this.time ? this.stepsAtOnce + 1 : 0
    if (this.stepsAtOnce > mostAtOnce) throw new Error(`time stands still at ${this.time}`)
    this.time = task.due
    this.tasks.delete(handle)
    if (task.period !== undefined) {
      task.due = this.time + task.period
      this.tasks.set(handle, task)
    }
    task.act()
    return true
  }

  /** What comes next: what is immediate before what is timed, what was scheduled first before what came later. */
  private next(): readonly [number, Task] | undefined {
    let first: readonly [number, Task] | undefined
    for (const entry of this.tasks) {
      if (entry[1].immediate) return entry
      if (first === undefined || entry[1].due < first[1].due) first = entry
    }
    return first
  }
}
