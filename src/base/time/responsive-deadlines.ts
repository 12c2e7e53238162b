import { Subscription } from 'rxjs'
import type { Cancel } from '../task/cancellable-task.js'
import { reportError } from '../task/safe-notify.js'
import type { Clock } from './clock.js'
import { afterReading, delay, noActivity } from './timers.js'

/** The limits of a slice, in ms. A shorter timer is often late without a blocked event loop. */
const shortestSlice = 5
const longestSlice = 50

/** After the event loop was blocked, data that arrived before may be read until this much later, in ms. */
const maxBacklogTime = 500

/**
 * Deadlines of one length, for work that needs several turns of the event loop, such as a dial or a request: time in which the
 * event loop was blocked does not count. One timer measures the time of all deadlines in short slices: one that is late counts
 * as its length, so a service that floods the client does not postpone a deadline forever. Times are monotonic, in ms.
 */
export class ResponsiveDeadlines {
  /** In the order of their ends. Not a `Set`: V8 keeps what was in it until it collects its old space. */
  private readonly running: RunningDeadline[] = []
  private timer: Subscription | undefined
  /** The time that has counted so far, up to the current slice. */
  private counted = 0
  private sliceStartedAt = 0
  private slice = 0
  /** When the event loop was last blocked. */
  private blockedUntil = -Infinity
  /** While a deadline runs: what had arrived by this time has been read. */
  readUntil = -Infinity

  constructor(
    private readonly clock: Clock,
    /** The length of each deadline. */
    readonly ms: number,
  ) {}

  /** Calls back once, unless cancelled. */
  start(onDeadline: () => void): Cancel {
    const now = this.clock.elapsed()
    const { running } = this
    const inSlice = running.length === 0 ? 0 : Math.min(now - this.sliceStartedAt, this.slice)
    const each = new RunningDeadline(this.counted + inSlice + this.ms, onDeadline)
    if (running.push(each) === 1) this.startSlice()
    return () => {
      const index = running.indexOf(each)
      if (index === -1) return
      running.splice(index, 1)
      if (running.length === 0) this.startSlice()
    }
  }

  private startSlice(): void {
    const { clock, ms } = this
    this.timer?.unsubscribe()
    this.timer = undefined
    const [first] = this.running
    if (first === undefined) return
    const remaining = first.endsAt - this.counted
    const longest = Math.min(Math.max(ms / 10, shortestSlice), longestSlice)
    this.slice = clock.isVirtual ? remaining : Math.max(Math.min(remaining, longest), shortestSlice)
    this.sliceStartedAt = clock.elapsed()
    this.timer = delay(clock, this.slice, this.onSlice)
  }

  private readonly onSlice = (): void => {
    const { clock, slice, sliceStartedAt } = this
    const now = clock.elapsed()
    this.counted += slice
    if (now - sliceStartedAt > 2 * slice + shortestSlice) this.blockedUntil = now
    if (now - this.blockedUntil > maxBacklogTime) this.readUntil = sliceStartedAt
    const [first] = this.running
    if (first !== undefined && first.endsAt < this.counted + 1)
      this.timer?.add(afterReading(clock, noActivity, this.end))
    else this.startSlice()
  }

  private readonly end = (): void => {
    while ((this.running[0]?.endsAt ?? Infinity) < this.counted + 1) {
      try {
        this.running.shift()?.onDeadline()
      } catch (thrown) {
        // An exception in the handler of one deadline must not affect the others.
        reportError(thrown)
      }
    }
    this.startSlice()
  }
}

/** Not a literal: V8 would allocate those of thousands of requests in its old space, where they keep the requests. */
class RunningDeadline {
  constructor(
    readonly endsAt: number,
    readonly onDeadline: () => void,
  ) {}
}

/** One deadline: calls back once after `ms` ms in which the event loop was not blocked, unless unsubscribed. */
export const responsiveDeadline = (clock: Clock, ms: number, callback: () => void): Subscription =>
  new Subscription(new ResponsiveDeadlines(clock, ms).start(callback))
