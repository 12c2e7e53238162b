import { Subscription } from 'rxjs'
import type { Cancel } from '../task/cancellable-task.js'
import { reportError } from '../task/safe-notify.js'
import type { Clock } from './clock.js'
import { afterReading, delay, noActivity } from './deadline.js'

/** The limits of a slice, in ms. A shorter timer is often late without a blocked event loop. */
const shortestSlice = 5
const longestSlice = 50

/** A deadline ends after this many late slices, if `maxStretch` times its length has passed. */
const minLateSlices = 3
const maxStretch = 4

/** After the event loop was blocked, data that arrived before may be read until this much later, in ms. */
const maxBacklogTime = 500

/**
 * Deadlines of one length, for work that needs several turns of the event loop, such as a dial or a request: time in which the
 * event loop was blocked does not count. A timer that is late shows that it was blocked, so one timer measures the time of
 * all deadlines in short slices. A loop that is blocked again and again reaches a deadline after `maxStretch` times its
 * length: a service that floods the client must not postpone it forever. Times are monotonic, in ms.
 */
export class ResponsiveDeadlines {
  /** A list in the order of their ends. Not a `Set`: V8 keeps what was in it until it collects its old space. */
  private first: RunningDeadline | undefined
  private last: RunningDeadline | undefined
  private timer: Subscription | undefined
  /** The time that has counted so far, up to the current slice. */
  private counted = 0
  private sliceStartedAt = 0
  private slice = 0
  private lateSlices = 0
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
    const { last } = this
    const inSlice = last === undefined ? 0 : Math.min(now - this.sliceStartedAt, this.slice)
    const each = new RunningDeadline(this.counted + inSlice + this.ms, now, this.lateSlices, onDeadline)
    this.last = each
    each.previous = last
    if (last === undefined) this.first = each
    else last.next = each
    if (last === undefined) this.startSlice()
    return () => {
      if (!each.isRunning) return
      this.remove(each)
      if (this.first === undefined) this.startSlice()
    }
  }

  private remove(each: RunningDeadline): void {
    const { previous, next } = each
    if (previous === undefined) this.first = next
    else previous.next = next
    if (next === undefined) this.last = previous
    else next.previous = previous
    each.previous = each.next = undefined
    each.isRunning = false
  }

  private startSlice(): void {
    const { clock, ms } = this
    this.timer?.unsubscribe()
    this.timer = undefined
    const { first } = this
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
    if (now - sliceStartedAt > 2 * slice + shortestSlice) {
      this.lateSlices++
      this.blockedUntil = now
    } else this.counted += slice
    if (now - this.blockedUntil > maxBacklogTime) this.readUntil = sliceStartedAt
    if (this.first !== undefined && this.isOver(this.first))
      this.timer?.add(afterReading(clock, noActivity, this.end))
    else this.startSlice()
  }

  private isOver({ endsAt, startedAt, lateSlices }: RunningDeadline): boolean {
    const isStretched = this.clock.elapsed() - startedAt >= maxStretch * this.ms
    return endsAt - this.counted < 1 || (isStretched && this.lateSlices - lateSlices >= minLateSlices)
  }

  private readonly end = (): void => {
    while (this.first !== undefined && this.isOver(this.first)) {
      const { onDeadline } = this.first
      this.remove(this.first)
      try {
        onDeadline()
      } catch (thrown) {
        // An exception in the handler of one deadline must not affect the others.
        reportError(thrown)
      }
    }
    this.startSlice()
  }
}

/** Not a literal: V8 may allocate those of thousands of requests in its old space. */
class RunningDeadline {
  isRunning = true
  previous: RunningDeadline | undefined
  next: RunningDeadline | undefined

  constructor(
    readonly endsAt: number,
    readonly startedAt: number,
    /** Of all slices, when it started. */
    readonly lateSlices: number,
    readonly onDeadline: () => void,
  ) {}
}

/** One deadline: calls back once after `ms` ms in which the event loop was not blocked, unless unsubscribed. */
export const responsiveDeadline = (clock: Clock, ms: number, callback: () => void): Subscription =>
  new Subscription(new ResponsiveDeadlines(clock, ms).start(callback))
