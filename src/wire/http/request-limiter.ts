import { noCancel, type Cancel } from '../../base/task/cancellable-task.js'
import { reportError } from '../../base/task/safe-notify.js'
import type { Clock } from '../../base/time/clock.js'
import { CoalescedTask } from '../../base/time/coalesced-task.js'
import { RateLimiter } from '../../base/time/rate-limiter.js'

export interface RequestLimits {
  readonly clock: Clock
  readonly maxRequestsPerSecond: number
  readonly maxConcurrentRequests: number
}

/** Sends one request. `onSent`: called when it is on its way. Without this call it counts as sent with its result. */
export type LimitedTask<A> = (onResult: (result: A) => void, onSent: () => void) => Cancel

/** Limits all HTTP requests of a client. A request beyond a limit waits in a queue: first in, first out. */
export class RequestLimiter {
  private readonly rate: RateLimiter
  private running = 0
  /** The number of running requests that are not sent yet: their transport may still connect. */
  private unsent = 0
  /** The start functions of the queued requests, by the number that gives their order. */
  private readonly queued = new Map<number, () => void>()
  private lastNumber = 0
  /** No queued request has a lower number. */
  private firstNumber = 1
  private readonly sending: CoalescedTask
  /** True while a turn may be used. */
  private isTurn = false

  constructor(private readonly limits: RequestLimits) {
    this.rate = new RateLimiter(limits.maxRequestsPerSecond)
    this.sending = new CoalescedTask(limits.clock, () => this.sendQueued())
  }

  /**
   * Runs a task that sends one request: now, or when the limits allow it. Cancelling a queued request removes it.
   * `onTurn`: called when the limits allow a queued request, before it is sent. It may cancel it.
   */
  run<A>(task: LimitedTask<A>, onResult: (result: A) => void, onTurn?: () => void): Cancel {
    const isFirst = this.queued.size === 0 || this.isTurn
    this.isTurn = false
    const canStart = isFirst && this.canSend(this.limits.clock.elapsed())
    return canStart ? this.start(task, onResult) : this.enqueue(++this.lastNumber, task, onResult, onTurn)
  }

  /** Like `run`, before all queued requests: the request was sent before them, and is repeated. */
  runFirst<A>(task: LimitedTask<A>, onResult: (result: A) => void): Cancel {
    const canStart = this.canSend(this.limits.clock.elapsed())
    return canStart ? this.start(task, onResult) : this.enqueue(--this.firstNumber, task, onResult)
  }

  /**
   * Calls back when the limits allow a request: now, or in the order of the queued requests. The first request that the
   * callback runs is sent at once. A caller with its own queue then chooses its next request.
   */
  whenSendable(onTurn: () => void): Cancel {
    if (this.queued.size > 0 || !this.canSend(this.limits.clock.elapsed())) {
      return this.addQueued(++this.lastNumber, () => this.useTurn(onTurn))
    }
    onTurn()
    return noCancel
  }

  private useTurn(onTurn: () => void): void {
    this.isTurn = true
    try {
      onTurn()
    } finally {
      this.isTurn = false
    }
  }

  private canSend(now: number): boolean {
    return this.running < this.limits.maxConcurrentRequests && this.rate.available(now) > this.unsent
  }

  private start<A>(task: LimitedTask<A>, onResult: (result: A) => void): Cancel {
    let isRunning = true
    const end = (): void => {
      if (!isRunning) return
      isRunning = false
      this.running--
      // Called later, for two reasons. The connection of this request becomes free in an immediate, before which Bun
      // runs timers. If a caller cancels many requests at once, none of them may be sent.
      if (this.queued.size > 0) this.sending.afterRead()
    }
    this.running++
    const cancel = this.send(task, (result) => {
      end()
      onResult(result)
    })
    return () => {
      cancel()
      end()
    }
  }

  /** A request counts from the time at which it was sent: the first ones wait for a connection, the later ones do not. */
  private send<A>(task: LimitedTask<A>, onResult: (result: A) => void): Cancel {
    let [isCounted, isStarted] = [false, false]
    const count = (): void => {
      if (isCounted) return
      isCounted = true
      this.unsent--
      this.rate.consume(1, this.limits.clock.elapsed())
    }
    const onSent = (): void => {
      count()
      if (isStarted && this.queued.size > 0) this.sending.afterTick()
    }
    const countAndDeliver = (result: A): void => {
      count()
      onResult(result)
    }
    this.unsent++
    try {
      const cancel = task(countAndDeliver, onSent)
      isStarted = true
      return () => {
        cancel()
        count()
      }
    } catch (thrown) {
      count()
      throw thrown
    }
  }

  private enqueue<A>(
    number: number,
    task: LimitedTask<A>,
    onResult: (result: A) => void,
    onTurn = noCancel,
  ): Cancel {
    let isCancelled = false
    let cancelRunning = noCancel
    const deliver = (result: A): void => {
      if (!isCancelled) onResult(result)
    }
    const remove = this.addQueued(number, () => {
      onTurn()
      if (!isCancelled) cancelRunning = this.start(task, deliver)
      // Starting a task may run the caller's code, which may cancel it.
      if (isCancelled) cancelRunning()
    })
    return () => {
      isCancelled = true
      cancelRunning()
      remove()
    }
  }

  private addQueued(number: number, start: () => void): Cancel {
    this.queued.set(number, start)
    this.sending.afterTick()
    return () => {
      if (this.queued.delete(number) && this.queued.size === 0) this.sending.cancel()
    }
  }

  private sendQueued(): void {
    const { clock, maxConcurrentRequests } = this.limits
    while (this.queued.size > 0 && this.canSend(clock.elapsed())) this.sendFirst()
    if (this.queued.size === 0 || this.running >= maxConcurrentRequests) return
    const ms = this.rate.delay(clock.elapsed())
    // Without a delay it waits for a request that is not sent yet, or the window has passed since the loop.
    if (ms > 0 || this.unsent === 0) this.sending.afterDelay(Math.ceil(ms))
  }

  private sendFirst(): void {
    while (!this.queued.has(this.firstNumber)) this.firstNumber++
    const start = this.queued.get(this.firstNumber)
    this.queued.delete(this.firstNumber)
    try {
      start?.()
    } catch (thrown) {
      // An exception in the handler of one request must not affect the others.
      reportError(thrown)
    }
  }
}
