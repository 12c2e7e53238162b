import TinyQueue from 'tinyqueue'
import { reportError } from '../task/safe-notify.js'
import {
  readDelegates,
  realImmediate,
  realInterval,
  writeDelegates,
  type IntervalHandle,
  type RxDelegates,
} from './rx-providers.js'

/** A timer or an immediate of RxJS in virtual time. */
interface Timer {
  dueAt: number
  /** Timers with the same due time fire in this order. */
  order: number
  /** In ms; 0 for an immediate, which fires once. */
  readonly period: number
  readonly callback: () => void
  /** The owner: a timer may be cleared while another clock is active. */
  readonly owner: VirtualTime
  cancelled: boolean
}

/** Added to the order of immediates, so that they fire before all timers with the same due time. */
const immediateOrder = -(2 ** 52)

/**
 * A virtual clock, in ms since the Unix epoch, that moves only by `advance`. RxJS's clocks and timers are virtual
 * inside `run` and real outside, so virtual and real time can be used side by side in one process.
 */
export class VirtualTime {
  private timers = queueOf([])
  private nextOrder = 0
  private cancelledCount = 0

  constructor(private time: number) {}

  readonly now = (): number => this.time

  run<A>(work: () => A): A {
    const before = enter(this)
    try {
      return work()
    } finally {
      leave(before)
    }
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

  /** Cancels all timers, and with them the last trace of this clock in RxJS. */
  dispose(): void {
    for (const timer of this.timers.data) markCancelled(timer)
    this.timers = queueOf([])
    this.cancelledCount = 0
    restoreIfUnused()
  }

  addTimer(callback: () => void, delay: number): Timer {
    return this.add({
      dueAt: this.time + delay,
      order: this.nextOrder++,
      period: Math.max(1, delay),
      callback,
    })
  }

  addImmediate(callback: () => void): Timer {
    return this.add({ dueAt: this.time, order: immediateOrder + this.nextOrder++, period: 0, callback })
  }

  /** Purges the queue when half of it is cancelled: a timer that every price restarts is cancelled long before it is due. */
  cancel(timer: Timer): void {
    markCancelled(timer)
    if (++this.cancelledCount <= this.timers.length / 2) return
    this.timers = queueOf(this.timers.data.filter(({ cancelled }) => !cancelled))
    this.cancelledCount = 0
  }

  private add(timer: Omit<Timer, 'cancelled' | 'owner'>): Timer {
    const added = { ...timer, owner: this, cancelled: false }
    this.timers.push(added)
    pendingTimers++
    return added
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
      // RxJS regards the action as finished; a `TestScheduler` that ran meanwhile prevents RxJS from clearing it.
      this.cancel(timer)
      reportError(thrown)
    }
  }
}

const queueOf = (timers: Timer[]): TinyQueue<Timer> =>
  new TinyQueue(timers, (a, b) => a.dueAt - b.dueAt || a.order - b.order)

/** Runs a function in one clock. */
export type RunInClock = <A>(work: () => A) => A

/**
 * Captures the active clock. A live client that is created in real time keeps real clocks and timers, even if a
 * replay calls it in virtual time.
 */
export const currentClock = (): RunInClock => {
  const clock = current
  return (work) => {
    if (current === clock) return work()
    if (clock !== undefined) return clock.run(work)
    const before = activeState()
    leave({ clock: undefined, delegates: outside })
    try {
      return work()
    } finally {
      leave(before)
    }
  }
}

interface ActiveState {
  readonly clock: VirtualTime | undefined
  readonly delegates: RxDelegates
}

/** The active virtual clock, if time is not real. */
let current: VirtualTime | undefined
/** The delegates from before the first virtual clock was entered. */
let outside: RxDelegates = readDelegates()
/** The timers of all virtual clocks that are neither fired nor cancelled. */
let pendingTimers = 0

const activeState = (): ActiveState => ({ clock: current, delegates: readDelegates() })

const enter = (clock: VirtualTime): ActiveState => {
  const before = activeState()
  if (current === undefined) outside = before.delegates
  current = clock
  writeDelegates({ date: clock, performance: clock, interval, immediate })
  return before
}

const leave = ({ clock, delegates }: ActiveState): void => {
  current = clock
  writeDelegates(delegates)
  if (current === undefined && pendingTimers > 0) {
    // While virtual timers are pending, RxJS must be able to clear them in real time too.
    writeDelegates({
      ...delegates,
      interval: delegates.interval ?? interval,
      immediate: delegates.immediate ?? immediate,
    })
  }
  restoreIfUnused()
}

/** Removes the delegates that were kept for pending timers, once there are none. */
const restoreIfUnused = (): void => {
  if (current !== undefined || pendingTimers > 0) return
  const delegates = readDelegates()
  writeDelegates({
    ...delegates,
    interval: delegates.interval === interval ? undefined : delegates.interval,
    immediate: delegates.immediate === immediate ? undefined : delegates.immediate,
  })
}

const markCancelled = (timer: Timer): void => {
  if (timer.cancelled) return
  timer.cancelled = true
  pendingTimers--
}

/** For RxJS a handle is opaque: only the delegate that made it reads it. */
const handleOf = (timer: Timer): IntervalHandle => timer as unknown as IntervalHandle

/** Cancels a virtual timer. Returns false if the handle is a real one. */
const cancelVirtual = (handle: IntervalHandle): boolean => {
  if (typeof handle !== 'object' || !('cancelled' in handle)) return false
  const timer = handle as unknown as Timer
  timer.owner.cancel(timer)
  restoreIfUnused()
  return true
}

const interval: NonNullable<RxDelegates['interval']> = {
  setInterval: (handler, timeout = 0) =>
    current === undefined
      ? realInterval.setInterval(handler, timeout)
      : handleOf(current.addTimer(handler, timeout)),
  clearInterval: (handle) => {
    if (!cancelVirtual(handle)) realInterval.clearInterval(handle)
  },
}

const immediate: NonNullable<RxDelegates['immediate']> = {
  setImmediate: (handler) =>
    current === undefined ? realImmediate.setImmediate(handler) : handleOf(current.addImmediate(handler)),
  clearImmediate: (handle) => {
    if (!cancelVirtual(handle)) realImmediate.clearImmediate(handle)
  },
}
