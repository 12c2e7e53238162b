import { noCancel, type Cancel } from '../../base/task/cancellable-task.js'
import { reportError } from '../../base/task/safe-notify.js'
import type { Clock } from '../../base/time/clock.js'
import { CoalescedTask, RateLimiter } from '../../base/time/timers.js'

export interface RequestLimits {
  readonly clock: Clock
  readonly maxRequestsPerSecond: number
  readonly maxConcurrentRequests: number
}

/** A request that counts toward the limits. */
export class RunningRequest {
  hasEnded = false
  private isSent = false

  constructor(
    private readonly countSent: (hasEnded: boolean) => void,
    private readonly countEnd: () => void,
  ) {}

  /** Called when the request is on its way. Without this call it counts as sent when it has ended. */
  onSent(): void {
    if (this.isSent) return
    this.isSent = true
    this.countSent(this.hasEnded)
  }

  onEnd(): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.onSent()
    this.countEnd()
  }
}

/** Limits all HTTP requests of a client. A request beyond a limit waits in a queue: first in, first out. */
export class RequestLimiter {
  /** `undefined` without a limit. */
  private readonly rate: RateLimiter | undefined
  private running = 0
  /** The number of running requests that are not sent yet: their transport may still connect. */
  private unsent = 0
  private readonly queued = new Set<() => void>()
  /** Called back before `queued`. */
  private readonly first = new Set<() => void>()
  private readonly sending: CoalescedTask
  /** True while the first callback of the queue runs, until it starts a request. */
  private isTurn = false

  constructor(private readonly limits: RequestLimits) {
    const { maxRequestsPerSecond } = limits
    this.rate = maxRequestsPerSecond === Infinity ? undefined : new RateLimiter(maxRequestsPerSecond)
    this.sending = new CoalescedTask(limits.clock, () => this.sendQueued())
  }

  /**
   * Calls back when the limits allow a request: now, or in the order of the queue. Inside the callback, the caller may
   * `start` one request, or acquire again: a caller with its own queue then chooses its next request. `isRepeated`: called
   * back before the whole queue, because the request was sent before.
   */
  acquire(onTurn: () => void, isRepeated = false): Cancel {
    const isFirst = isRepeated || this.isTurn
    const isNext = isFirst || !this.isWaiting
    this.isTurn = false
    if (isNext && this.canSend(this.limits.clock.elapsed())) {
      onTurn()
      return noCancel
    }
    const queue = isFirst ? this.first : this.queued
    queue.add(onTurn)
    this.sending.afterTick()
    return () => {
      if (queue.delete(onTurn) && !this.isWaiting) this.sending.cancel()
    }
  }

  /** Counts a request. It counts toward the rate from the time at which it was sent: the first ones must connect. */
  start(): RunningRequest {
    this.isTurn = false
    this.running++
    this.unsent++
    return new RunningRequest(this.countSent, this.countEnd)
  }

  private readonly countSent = (hasEnded: boolean): void => {
    this.unsent--
    this.rate?.consume(1, this.limits.clock.elapsed())
    if (!hasEnded && this.isWaiting) this.sending.afterTick()
  }

  private readonly countEnd = (): void => {
    this.running--
    // Called later, for two reasons. The connection of this request becomes free in an immediate, before which Bun
    // runs timers. If a caller cancels many requests at once, none of them may be sent.
    if (this.isWaiting) this.sending.afterRead()
  }

  private get isWaiting(): boolean {
    return this.first.size > 0 || this.queued.size > 0
  }

  private canSend(now: number): boolean {
    if (this.running >= this.limits.maxConcurrentRequests) return false
    return this.rate === undefined || this.rate.available(now) > this.unsent
  }

  private sendQueued(): void {
    const { clock, maxConcurrentRequests } = this.limits
    while (this.isWaiting && this.canSend(clock.elapsed())) this.callFirst()
    if (this.rate === undefined || !this.isWaiting || this.running >= maxConcurrentRequests) return
    const ms = this.rate.delay(clock.elapsed())
    // Without a delay it waits for a request that is not sent yet, or the window has passed since the loop.
    if (ms > 0 || this.unsent === 0) this.sending.afterDelay(Math.ceil(ms))
  }

  private callFirst(): void {
    const queue = this.first.size > 0 ? this.first : this.queued
    const [onTurn = noCancel] = queue
    queue.delete(onTurn)
    this.isTurn = true
    try {
      onTurn()
    } catch (thrown) {
      // An exception in the handler of one request must not affect the others.
      reportError(thrown)
    } finally {
      this.isTurn = false
    }
  }
}
