import { maxTimerMs } from '../../base/domain/valid-numbers.js'
import { reportError } from '../../base/task/safe-notify.js'
import {
  activeContext,
  hasNothingToRun,
  onTimerAdded,
  onTimerEnded,
  runInContext,
  RxContext,
} from './rx-context.js'
import { callAtOnce, systemClock, type Clock } from '../../base/time/clock.js'
import { PriorityQueue } from '../recording/read/priority-queue.js'

interface Timer {
  dueAt: number
  /** Timers with the same due time fire in this order. */
  order: number
  /** In ms; 0 for a timer that fires once. */
  readonly period: number
  readonly callback: () => void
  readonly cancel: () => void
  /** True once it is cancelled or has fired for the last time. */
  isOver: boolean
}

/** Added to the order of immediates, so that they fire before all timers with the same due time. */
const immediateOrder = -(2 ** 52)

/** Like Node, which has no shorter timer: a loop of such timers must not stop the time. In ms. */
const shortestTimer = 1

/** Stops a clock between two timers. */
export interface Brake {
  readonly isHeld: boolean
}

/** Clocks that move together: a clock without timers needs no call for that. */
export class ClockGroup {
  /** At least the time of each clock that has fired no timer since. In ms since the Unix epoch. */
  time = 0
  /** The part of the time that has passed at once, in ms: monotonic time does not contain it. */
  skipped = 0
  /** The time of the replay less that of the recorder, whose clock may have been set back, in ms. */
  aheadMs = 0
  /** The clocks that may have timers. */
  readonly withTimers = new Set<VirtualTime>()
  /** Runs work that real time continues, such as what follows a promise, at the time of the clocks. */
  enter = <A>(work: () => A): A => work()
}

/** A virtual clock, in ms since the Unix epoch, that only `advance` and `skip` move. RxJS uses it, and its own queues, only inside `run`. */
export class VirtualTime extends RxContext implements Clock {
  override readonly clock = this
  override mayHaveActions = false
  private timers = queueOf([])
  private nextOrder = 0
  private cancelledCount = 0
  private readonly system = systemClock()

  constructor(
    private time: number,
    readonly group = new ClockGroup(),
  ) {
    super()
  }

  // The members of `Clock`: once the clock is disposed of, they are those of the system.

  get isVirtual(): boolean {
    return !this.disposed
  }

  readonly wallClock = (): number => (this.disposed ? this.system.wallClock() : this.current)

  readonly elapsed = (): number =>
    this.disposed ? this.system.wallClock() : this.current - this.group.skipped

  readonly startInterval = (callback: () => void, ms: number): (() => void) => {
    if (this.disposed) return this.system.startInterval(callback, ms)
    // NaN is the shortest time too. It would end the order of the queue.
    const period = ms > shortestTimer ? ms : shortestTimer
    return this.add(callback, this.nextOrder++, period)
  }

  /** While the clock is active, an immediate is virtual: it belongs to the queues of the context. */
  readonly startImmediate = (callback: () => void): (() => void) =>
    this.disposed && activeContext() !== this
      ? this.system.startImmediate(callback)
      : this.add(callback, immediateOrder + this.nextOrder++, 0)

  readonly afterRead = (callback: () => void): (() => void) =>
    this.disposed ? this.system.afterRead(callback) : callAtOnce(callback)

  private get current(): number {
    return Math.max(this.time, this.group.time)
  }

  /** The time at which the next timer may be due; `Infinity` without timers. */
  get nextDue(): number {
    return this.timers.peek()?.dueAt ?? Infinity
  }

  /** Runs work on this clock; in real time once the clock is disposed of. */
  readonly run = <A>(work: () => A): A =>
    this.disposed || activeContext() === this ? work() : this.group.enter(() => runInContext(this, work))

  /** Moves the clock forward, never back, and fires the timers that are due. */
  advance(to: number): void {
    this.fireDue(to)
    this.time = Math.max(this.time, to)
  }

  /** Fires the timers that are due at a time, each at its own, until `brake` stops the clock at one of them. */
  fireDue(to: number, brake?: Brake): void {
    if (this.isDue(to)) runInContext(this, () => this.fireUntil(to, brake))
  }

  /**
   * Fires the pending timers, and those that they start, up to the due time of the last pending one. A timer that is too long for
   * every platform, such as one of `Infinity` ms, never fires: with it, an interval would never end.
   */
  finish(): void {
    const due = this.timers.items
      .filter(({ isOver, dueAt }) => !isOver && dueAt - this.current <= maxTimerMs)
      .map(({ dueAt }) => dueAt)
    this.advance(due.reduce((latest, each) => Math.max(latest, each), this.current))
  }

  /** Moves the clock by `ms`, or back if it is negative, and fires no timer: each keeps its remaining delay. */
  skip(ms: number): void {
    this.time += ms
    for (const timer of this.timers.items) timer.dueAt += ms
    // Due times may have become equal by rounding.
    this.timers = queueOf(this.timers.items)
  }

  /** Cancels all timers but immediates, which fire at the next `advance`. Timers that start later are real. */
  dispose(): void {
    this.disposed = true
    for (const timer of this.timers.items) if (!isImmediate(timer)) end(timer)
    this.purge()
  }

  /** Purges the queue as soon as half of it is cancelled: each price may restart a timer long before it is due. */
  private cancel(timer: Timer): void {
    end(timer)
    if (++this.cancelledCount > this.timers.items.length / 2) this.purge()
  }

  private purge(): void {
    this.timers = queueOf(this.timers.items.filter(({ isOver }) => !isOver))
    this.cancelledCount = 0
  }

  private isDue(to: number): boolean {
    const next = this.timers.peek()
    return next !== undefined && next.dueAt <= to
  }

  private fireUntil(to: number, brake: Brake | undefined): void {
    this.mayHaveActions = true
    while (this.isDue(to) && brake?.isHeld !== true) {
      const timer = this.timers.pop()
      if (timer?.isOver === false) this.fire(timer)
    }
  }

  /** Returns the function that cancels the timer. */
  private add(callback: () => void, order: number, period: number): () => void {
    const cancel = (): void => this.cancel(timer)
    const timer: Timer = { dueAt: this.current + period, order, period, callback, cancel, isOver: false }
    this.timers.push(timer)
    this.group.withTimers.add(this)
    onTimerAdded()
    return cancel
  }

  private fire(timer: Timer): void {
    this.time = Math.max(this.time, timer.dueAt)
    if (timer.period > 0) {
      timer.dueAt += timer.period
      timer.order = this.nextOrder++
      this.timers.push(timer)
    } else {
      end(timer)
      if (hasNothingToRun(timer.cancel)) return
    }
    try {
      timer.callback()
    } catch (thrown) {
      // RxJS considers the action finished, but cannot clear its timer after a `TestScheduler` has reset the delegates.
      this.cancel(timer)
      reportError(thrown)
    }
  }
}

/** Has no effect on a timer that is over already. */
const end = (timer: Timer): void => {
  if (timer.isOver) return
  timer.isOver = true
  onTimerEnded()
}

const isImmediate = ({ order }: Timer): boolean => order < 0

const inFiringOrder = (a: Timer, b: Timer): number => a.dueAt - b.dueAt || a.order - b.order

const queueOf = (timers: Timer[]): PriorityQueue<Timer> => new PriorityQueue(inFiringOrder, timers)
