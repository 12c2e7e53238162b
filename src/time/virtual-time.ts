import TinyQueue from 'tinyqueue'
import { reportError } from '../task/safe-notify.js'
import {
  delegatesOf,
  markCancelled,
  onTimerAdded,
  restoreIfUnused,
  runWith,
  type VirtualClock,
  type VirtualTimer,
} from './active-clock.js'
import { realImmediate } from './rx-providers.js'

interface Timer extends VirtualTimer {
  dueAt: number
  /** Timers with the same due time fire in this order. */
  order: number
  /** In ms; 0 for an immediate, which fires once. */
  readonly period: number
  readonly callback: () => void
}

/** Added to the order of immediates, so that they fire before all timers with the same due time. */
const immediateOrder = -(2 ** 52)

/**
 * A virtual clock, in ms since the Unix epoch, that moves only by `advance`. RxJS's clocks and timers are virtual
 * inside `run` and real outside, so virtual and real time can be used side by side in one process.
 */
export class VirtualTime implements VirtualClock {
  private timers = queueOf([])
  private nextOrder = 0
  private cancelledCount = 0
  disposed = false

  constructor(private time: number) {}

  readonly now = (): number => this.time
  readonly delegates = delegatesOf(this)

  run<A>(work: () => A): A {
    return runWith(this, work)
  }

  /** Moves the clock forward, never back, and fires the timers that are due. Must be called inside `run`. */
  advance(to: number): void {
    for (
      let timer = this.timers.peek();
      timer !== undefined && timer.dueAt <= to;
      timer = this.timers.peek()
    ) {
      this.timers.pop()
      if (!timer.cancelled) this.fire(timer)
    }
    this.time = Math.max(this.time, to)
  }

  /** Moves the clock forward by `ms` and fires no timer: each keeps its remaining delay. */
  skip(ms: number): void {
    this.time += ms
    for (const timer of this.timers.data) timer.dueAt += ms
    // Due times may have become equal by rounding.
    this.timers = queueOf(this.timers.data)
  }

  /**
   * Cancels all timers. Timers that start later inside `run` are real. RxJS's delegates are restored when no virtual
   * clock has timers.
   */
  dispose(): void {
    this.disposed = true
    const timers = this.timers.data.toSorted(inFiringOrder)
    this.timers = queueOf([])
    this.cancelledCount = 0
    for (const timer of timers) {
      if (timer.period === 0) this.fireInRealTime(timer)
      else markCancelled(timer)
    }
    restoreIfUnused()
  }

  addTimer(callback: () => void, delay: number): VirtualTimer {
    const order = this.nextOrder++
    // Like Node: NaN is 1 ms. It would end the order of the queue.
    const ms = Number.isNaN(delay) ? 1 : delay
    return this.add({ dueAt: this.time + ms, order, period: Math.max(1, ms), callback })
  }

  addImmediate(callback: () => void): VirtualTimer {
    const order = immediateOrder + this.nextOrder++
    return this.add({ dueAt: this.time, order, period: 0, callback })
  }

  /**
   * A timer that every price restarts is cancelled long before it is due, so the queue is purged as soon as half of it
   * is cancelled.
   */
  cancel(timer: VirtualTimer): void {
    markCancelled(timer)
    if (++this.cancelledCount <= this.timers.length / 2) return
    this.timers = queueOf(this.timers.data.filter(({ cancelled }) => !cancelled))
    this.cancelledCount = 0
  }

  private add({ dueAt, order, period, callback }: Omit<Timer, keyof VirtualTimer>): VirtualTimer {
    const added = { dueAt, order, period, callback, owner: this, cancelled: false }
    this.timers.push(added)
    onTimerAdded()
    return added
  }

  /** `asapScheduler` is shared by the whole process, and stops for good if its immediate is cancelled. */
  private fireInRealTime(immediate: Timer): void {
    realImmediate.setImmediate(() => {
      if (!immediate.cancelled) this.fire(immediate)
      restoreIfUnused()
    })
  }

  private fire(timer: Timer): void {
    this.time = Math.max(this.time, timer.dueAt)
    if (timer.period > 0) {
      timer.dueAt += timer.period
      timer.order = this.nextOrder++
      this.timers.push(timer)
    } else markCancelled(timer)
    try {
      timer.callback()
    } catch (thrown) {
      // RxJS considers the action finished, but cannot clear its timer after a `TestScheduler` has reset the delegates.
      this.cancel(timer)
      reportError(thrown)
    }
  }
}

const inFiringOrder = (a: Timer, b: Timer): number => a.dueAt - b.dueAt || a.order - b.order

const queueOf = (timers: Timer[]): TinyQueue<Timer> => new TinyQueue(timers, inFiringOrder)
