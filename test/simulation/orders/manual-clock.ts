import type { Clock } from '../../../src/base/time/clock.js'

interface Timer {
  dueAt: number
  readonly period: number
  readonly callback: () => void
}

/** A clock whose time, timers and immediates are moved by hand. Everything it starts is finished when a call returns. */
export class ManualClock implements Clock {
  readonly isVirtual = true
  private now = 1
  private immediates: (() => void)[] = []
  private readonly timers = new Set<Timer>()

  readonly elapsed = (): number => this.now

  readonly wallClock = (): number => this.now

  readonly startInterval = (callback: () => void, ms: number): (() => void) => {
    const period = Math.max(1, ms)
    const timer = { dueAt: this.now + period, period, callback }
    this.timers.add(timer)
    return () => this.timers.delete(timer)
  }

  readonly startImmediate = (callback: () => void): (() => void) => {
    this.immediates.push(callback)
    return () => {
      this.immediates = this.immediates.filter((each) => each !== callback)
    }
  }

  readonly afterRead = (callback: () => void): (() => void) => {
    callback()
    return () => undefined
  }

  /** The number of timers and immediates that have neither fired for the last time nor been cancelled. */
  get pending(): number {
    return this.timers.size + this.immediates.length
  }

  /** When the next timer is due; `Infinity` if there is none. */
  get nextTimerAt(): number {
    let earliest = Infinity
    for (const { dueAt } of this.timers) earliest = Math.min(earliest, dueAt)
    return earliest
  }

  /** Moves the time to `at`, and fires the timers that are due by then. */
  moveTo(at: number): void {
    for (let due = this.nextTimer(at); due !== undefined; due = this.nextTimer(at)) {
      this.now = Math.max(this.now, due.dueAt)
      due.dueAt += due.period
      due.callback()
    }
    this.now = at
  }

  /** Ends the tick: runs the immediates, and those that they start. */
  turn(): void {
    for (let next = this.immediates.shift(); next !== undefined; next = this.immediates.shift()) next()
  }

  private nextTimer(until: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.timers) {
      if (timer.dueAt <= until && (next === undefined || timer.dueAt < next.dueAt)) next = timer
    }
    return next
  }
}
