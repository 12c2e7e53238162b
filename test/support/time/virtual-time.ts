import { dateTimestampProvider } from 'rxjs/internal/scheduler/dateTimestampProvider'
import { immediateProvider } from 'rxjs/internal/scheduler/immediateProvider'
import { intervalProvider } from 'rxjs/internal/scheduler/intervalProvider'
import { performanceTimestampProvider } from 'rxjs/internal/scheduler/performanceTimestampProvider'
import { timeoutProvider } from 'rxjs/internal/scheduler/timeoutProvider'
import { vi } from 'vitest'

/** Maximum number of callbacks at one time. An endless loop fails and does not hang. */
const maxCallbacksAtOnce = 100_000

interface Timer {
  dueAt: number
  readonly callback: () => void
  /** True if it fires before all timers that have a delay. */
  readonly immediate: boolean
  /** Undefined if it fires once. */
  readonly period: number | undefined
}

/**
 * A virtual clock for RxJS, independent of `src/backtest/replay/virtual-time.ts`, which is under test. `TestScheduler.run` does not
 * replace it: it throws if one of two timers with the same due time clears the other, as happens when a socket closes.
 */
class VirtualClock {
  private time = 0
  private lastHandle = 0
  private callbacksAtOnce = 0
  private readonly timers = new Map<number, Timer>()

  constructor(private readonly shortestTimer: number) {}

  now = (): number => this.time

  get pending(): number {
    return this.timers.size
  }

  schedule(dueAt: number, callback: () => void): void {
    this.add({ dueAt, callback, immediate: false, period: undefined })
  }

  /** Advances the time. Timers that are due meanwhile fire late. */
  skip(ms: number): void {
    this.time += ms
  }

  /** Calls `work`, then fires timers in order until `endsAt`. RxJS uses this clock during the call. */
  run(work: () => void, endsAt: number): void {
    const clear = (handle: unknown): void => void this.timers.delete(handle as number)
    const after = (ms = 0): number => this.time + Math.max(ms, this.shortestTimer)
    try {
      dateTimestampProvider.delegate = this
      performanceTimestampProvider.delegate = this
      immediateProvider.delegate = {
        setImmediate: (callback) =>
          this.add({ dueAt: this.time, callback, immediate: true, period: undefined }),
        clearImmediate: clear,
      }
      intervalProvider.delegate = {
        setInterval: (callback, ms) =>
          this.add({ dueAt: after(ms), callback, immediate: false, period: ms ?? 0 }),
        clearInterval: clear,
      }
      timeoutProvider.delegate = {
        setTimeout: (callback, ms) =>
          this.add({ dueAt: after(ms), callback, immediate: false, period: undefined }),
        clearTimeout: clear,
      }
      work()
      while (this.fireNext(endsAt));
    } finally {
      dateTimestampProvider.delegate = undefined
      performanceTimestampProvider.delegate = undefined
      immediateProvider.delegate = undefined
      intervalProvider.delegate = undefined
      timeoutProvider.delegate = undefined
    }
  }

  private add(timer: Timer): number {
    this.timers.set(++this.lastHandle, timer)
    return this.lastHandle
  }

  private fireNext(endsAt: number): boolean {
    const next = this.next()
    if (next === undefined || next[1].dueAt > endsAt) return false
    const [handle, timer] = next
    const time = Math.max(this.time, timer.dueAt)
    this.callbacksAtOnce = time === this.time ? this.callbacksAtOnce + 1 : 0
    if (this.callbacksAtOnce > maxCallbacksAtOnce) throw new Error(`endless loop at ${this.time} ms`)
    this.time = time
    this.timers.delete(handle)
    if (timer.period !== undefined) {
      timer.dueAt = this.time + timer.period
      this.timers.set(handle, timer)
    }
    timer.callback()
    return true
  }

  /** The next timer: immediates first, then by due time, then by the order of scheduling. */
  private next(): readonly [number, Timer] | undefined {
    let first: readonly [number, Timer] | undefined
    for (const entry of this.timers) {
      if (entry[1].immediate) return entry
      if (first === undefined || entry[1].dueAt < first[1].dueAt) first = entry
    }
    return first
  }
}

export interface VirtualTime {
  /** In ms since the start. */
  readonly now: () => number
  /** Calls a function at a time, in ms since the start. */
  readonly at: (ms: number, callback: () => void) => void
  /** Calls a function after a delay, in ms. */
  readonly after: (ms: number, callback: () => void) => void
  /** Advances the clock by a time in which no timer fires, in ms, as a suspend of the machine does. */
  readonly suspend: (ms: number) => void
  /** The number of pending timers, including those of `at` and `after`. */
  readonly pendingTimers: () => number
}

export interface VirtualTimeOptions {
  /** Timers that are due later do not fire, in ms. Default: 1 000 000. */
  readonly endsAt?: number
  /** Replaces `Math.random`. Default: returns 0.5. */
  readonly random?: () => number
  /** Shorter timers take this long, in ms. Default: 0. Node's take 1. */
  readonly shortestTimer?: number
}

/** Runs a scenario in virtual time. Returns the number of pending timers at its end. */
export const runInVirtualTime = (
  scenario: (time: VirtualTime) => void,
  { endsAt = 1_000_000, random = () => 0.5, shortestTimer = 0 }: VirtualTimeOptions = {},
): number => {
  const mathRandom = vi.spyOn(Math, 'random').mockImplementation(random)
  const clock = new VirtualClock(shortestTimer)
  try {
    const at = (ms: number, callback: () => void): void => clock.schedule(ms, callback)
    const after = (ms: number, callback: () => void): void => clock.schedule(clock.now() + ms, callback)
    const suspend = (ms: number): void => clock.skip(ms)
    clock.run(
      () => scenario({ now: clock.now, at, after, suspend, pendingTimers: () => clock.pending }),
      endsAt,
    )
  } finally {
    mathRandom.mockRestore()
  }
  return clock.pending
}
