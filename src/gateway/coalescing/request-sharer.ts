import { Subscription } from 'rxjs'
import { noCancel, type Cancel, type CancellableTask } from '../../base/task/cancellable-task.js'
import { safeNext } from '../../base/task/safe-notify.js'
import type { Clock } from '../../base/time/clock.js'
import { delay } from '../../base/time/timers.js'
import { Turns, type Requester } from './turns.js'

export interface RequestSharerConfig<A> {
  readonly clock: Clock
  /** Calls back when the client would send a request at once. The client has its own queue, first in, first out. */
  readonly whenSendable: (onTurn: () => void) => Cancel
  /** Number of consumers' requests that wait for a response. */
  readonly maxWaiting: number
  /** The result of a request that is refused, because too many wait. */
  readonly refusal: A
}

/** A request that consumers share with those of the same key. */
export interface SharedRequest<A> {
  readonly key: string
  /** Minimum time between the starts of two requests of the key, in ms. */
  readonly minInterval: number
  readonly send: (onResult: (result: A) => void) => void
  /** Called for each request of a consumer. `shared`: another consumer waits for the same result. */
  readonly onRequest?: (shared: boolean) => void
}

interface Waiter<A> {
  readonly requester: Requester
  readonly shared: Shared<A>
  readonly onResult: (result: A) => void
}

interface Shared<A> {
  readonly request: SharedRequest<A>
  /** Receive the result of the request that is running, or of the next one. */
  waiters: Set<Waiter<A>>
  /** True from the start of a request until the next one may start. */
  isBusy: boolean
}

/** Concurrent requests to a client without its own limit. */
const maxRunning = 256

/**
 * Sends at most one request per key at a time. A consumer that arrives while a request runs shares its result. A
 * consumer that arrives later waits until `minInterval` has passed since the start of that request, and until it is the
 * turn of a consumer of the key. A consumer never receives a result from before its arrival.
 *
 * The queue of the client has no turns. A request is therefore chosen and started only when the client would send it at
 * once. If too many requests wait, one of the consumer with the most requests is refused.
 */
export class RequestSharer<A> {
  private readonly byKey = new Map<string, Shared<A>>()
  private readonly waiting = new Turns<Waiter<A>>()
  /** Those of the waiting requests that can start. */
  private readonly ready = new Turns<Waiter<A>>()
  private running = 0
  private readonly timers = new Subscription()
  /** Leaves the queue of the client; `undefined` while nothing waits there. */
  private cancelTurn: Cancel | undefined

  constructor(private readonly config: RequestSharerConfig<A>) {}

  /** Number of requests of consumers that wait, and of keys whose last request was started less than `minInterval` ago. */
  get size(): number {
    return this.waiting.size + this.byKey.size
  }

  /** Cancelling leaves the request. A request that waits for its start is not sent without consumers. */
  request(request: SharedRequest<A>, requester: Requester): CancellableTask<A> {
    return (onResult) => {
      if (this.timers.closed) return noCancel
      const shared = this.sharedOf(request)
      request.onRequest?.(shared.waiters.size > 0)
      const waiter: Waiter<A> = { requester, shared, onResult }
      shared.waiters.add(waiter)
      this.waiting.add(waiter)
      if (!shared.isBusy) this.ready.add(waiter)
      if (this.waiting.size > this.config.maxWaiting) this.refuse(this.waiting.excess(waiter))
      this.startNext()
      return () => this.leave(waiter)
    }
  }

  /** Drops all consumers and timers. Later requests are neither sent nor answered. */
  close(): void {
    this.timers.unsubscribe()
    this.cancelTurn?.()
    for (const { waiters } of this.byKey.values()) for (const waiter of waiters) this.leave(waiter)
    this.byKey.clear()
  }

  private sharedOf(request: SharedRequest<A>): Shared<A> {
    const { key } = request
    const shared = this.byKey.get(key) ?? { request, waiters: new Set(), isBusy: false }
    this.byKey.set(key, shared)
    return shared
  }

  private refuse(waiter: Waiter<A>): void {
    this.leave(waiter)
    waiter.onResult(this.config.refusal)
  }

  private leave(waiter: Waiter<A>): void {
    const { shared } = waiter
    if (!shared.waiters.delete(waiter)) return
    this.waiting.delete(waiter)
    this.ready.delete(waiter)
    if (!shared.isBusy && shared.waiters.size === 0) this.byKey.delete(shared.request.key)
  }

  /** Starts requests in turns, as long as the client sends them at once. */
  private startNext(): void {
    if (this.ready.size === 0 || this.running >= maxRunning || this.cancelTurn !== undefined) return
    this.cancelTurn = noCancel
    const cancel = this.config.whenSendable(() => {
      this.cancelTurn = undefined
      // All of them may have left.
      const waiter = this.ready.take()
      if (waiter !== undefined) this.start(waiter.shared)
      this.startNext()
    })
    // The callback may have been called.
    if (this.cancelTurn === noCancel) this.cancelTurn = cancel
  }

  private start(shared: Shared<A>): void {
    const { request } = shared
    const nextAt = this.config.clock.elapsed() + request.minInterval
    for (const waiter of shared.waiters) this.ready.delete(waiter)
    shared.isBusy = true
    this.running++
    request.send((result) => {
      // Consumers that arrive from now on, also from inside a callback, wait for the next request.
      const { waiters } = shared
      shared.waiters = new Set()
      this.running--
      for (const waiter of waiters) this.waiting.delete(waiter)
      this.endBusy(shared, nextAt)
      this.startNext()
      for (const { onResult } of waiters) safeNext({ next: onResult }, result)
    })
  }

  /** The next request of the key can start from `nextAt` on: monotonic, in ms. A key without consumers is then forgotten. */
  private endBusy(shared: Shared<A>, nextAt: number): void {
    const { clock } = this.config
    const remaining = nextAt - clock.elapsed()
    if (remaining > 0) {
      const timer = delay(clock, Math.ceil(remaining), () => {
        this.timers.remove(timer)
        this.endBusy(shared, nextAt)
      })
      this.timers.add(timer)
      return
    }
    shared.isBusy = false
    if (shared.waiters.size === 0) this.byKey.delete(shared.request.key)
    for (const waiter of shared.waiters) this.ready.add(waiter)
    this.startNext()
  }
}
