import { isRight, type Either } from 'fp-ts/lib/Either.js'
import type { Observer } from 'rxjs'
import { dateTimestampProvider } from 'rxjs/internal/scheduler/dateTimestampProvider'
import { immediateProvider } from 'rxjs/internal/scheduler/immediateProvider'
import { intervalProvider } from 'rxjs/internal/scheduler/intervalProvider'
import { performanceTimestampProvider } from 'rxjs/internal/scheduler/performanceTimestampProvider'
import { timeoutProvider } from 'rxjs/internal/scheduler/timeoutProvider'
import { vi } from 'vitest'

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
class VirtualClock {
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

/** A scenario's hold on virtual time. */
export interface Virtual {
  readonly now: () => number
  /** Does something at a time, in ms from the start. */
  readonly at: (ms: number, act: () => void) => void
  /** Does something so many ms from now. */
  readonly after: (ms: number, act: () => void) => void
  /** How many timers are set, the scenario's own included. */
  readonly timers: () => number
}

export interface VirtualOptions {
  /** When time ends, in ms: what never ends by itself is cut off there. */
  readonly until?: number
  /** What `Math.random` gives. Default: the middle of its range. */
  readonly draw?: () => number
}

/** Plays a scenario in virtual time, and returns how many timers are set still when nothing more happens. */
export const virtually = (
  scenario: (virtual: Virtual) => void,
  { until = 1_000_000, draw = () => 0.5 }: VirtualOptions = {},
): number => {
  const random = vi.spyOn(Math, 'random').mockImplementation(draw)
  const clock = new VirtualClock()
  try {
    const at = (ms: number, act: () => void): void => clock.at(ms, act)
    const after = (ms: number, act: () => void): void => clock.at(clock.now() + ms, act)
    clock.run(() => scenario({ now: clock.now, at, after, timers: () => clock.pending }), until)
  } finally {
    random.mockRestore()
  }
  return clock.pending
}

/** A value of a stream in a few characters: a price's number, an error's tag, with its attempt if it has one. */
export const brief = (value: unknown): string => {
  if (!isEither(value)) return tagOf(value)
  return isRight(value) ? String((value.right as { price?: number }).price) : tagOf(value.left)
}

const isEither = (value: unknown): value is Either<unknown, unknown> =>
  typeof value === 'object' && value !== null && ('left' in value || 'right' in value)

const tagOf = (value: unknown): string => {
  if (typeof value !== 'object' || value === null || !('_tag' in value)) return String(value)
  const { _tag, attempt } = value as { readonly _tag: string; readonly attempt?: number }
  return attempt === undefined ? _tag : `${_tag} ${attempt}`
}

export interface Journal {
  readonly lines: string[]
  /** Writes down a value at the time that it is now. */
  readonly note: (text: string) => void
  /** An observer that writes down what it is told, under a name. */
  readonly observer: (name: string) => Observer<unknown>
}

/** What happened when, a line each: `12 name: value`. */
export const journalOf = ({ now }: Pick<Virtual, 'now'>): Journal => {
  const lines: string[] = []
  const note = (text: string): void => void lines.push(`${now()} ${text}`)
  return {
    lines,
    note,
    observer: (name) => ({
      next: (value) => note(`${name}: ${brief(value)}`),
      complete: () => note(`${name}: complete`),
      error: (error) => note(`${name}: ERROR ${String(error)}`),
    }),
  }
}
