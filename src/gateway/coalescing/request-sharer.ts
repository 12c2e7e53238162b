import type { Subscription } from 'rxjs'
import { noCancel, type CancellableTask } from '../../base/task/cancellable-task.js'
import { reportError } from '../../base/task/safe-notify.js'
import type { Clock } from '../../base/time/clock.js'
import { delay } from '../../base/time/deadline.js'
import type { Place, Requester, RequestQueue } from './request-queue.js'

export interface RequestSharerConfig<K extends string, A> {
  readonly clock: Clock
  readonly queue: RequestQueue
  /** Minimum time between the starts of two requests of one key, in ms. */
  readonly minInterval: number
  /** Sends the request of a key. */
  readonly send: (key: K, onResult: (result: A) => void) => void
  /** The result of a request that is refused, because too many wait. */
  readonly refusal: A
  /** Called for each request of a consumer. `shared`: another consumer waits for the same result. */
  readonly onRequest?: (shared: boolean) => void
}

/** The requests of one key. */
interface SharedRequest<A> {
  /** Receive the result of the request that is running, or of the next one. */
  waiters: Map<Place, (result: A) => void>
  isRunning: boolean
  /** Start of the latest request: monotonic, in ms. */
  startedAt: number
  /** Runs from the end of a request until the next one may start. */
  timer: Subscription | undefined
}

/**
 * Sends at most one request per key at a time. A consumer that arrives while a request runs shares its result. A
 * consumer that arrives later waits until `minInterval` has passed since the start of that request, and until it is the
 * turn of a consumer of the key. A consumer never receives a result from before its arrival.
 */
export class RequestSharer<K extends string, A> {
  private readonly requests = new Map<K, SharedRequest<A>>()
  private isClosed = false

  constructor(private readonly config: RequestSharerConfig<K, A>) {}

  /** The number of keys with a request that runs, that waits, or that was started less than `minInterval` ago. */
  get size(): number {
    return this.requests.size
  }

  /** Cancelling leaves the request. A request that waits for its start is not sent without consumers. */
  request(key: K, requester: Requester): CancellableTask<A> {
    return (onResult) => {
      if (this.isClosed) return noCancel
      const { queue, refusal, onRequest } = this.config
      const leave = (): void => this.leave(key, place)
      const place = queue.enter(requester, () => {
        leave()
        onResult(refusal)
      })
      onRequest?.((this.requests.get(key)?.waiters.size ?? 0) > 0)
      this.add(key, place, onResult)
      queue.refuseExcess(place)
      queue.startNext()
      return leave
    }
  }

  /** Drops all consumers and timers. Later requests are neither sent nor answered. */
  close(): void {
    this.isClosed = true
    for (const { timer, waiters } of this.requests.values()) {
      timer?.unsubscribe()
      for (const place of waiters.keys()) this.config.queue.leave(place)
      waiters.clear()
    }
    this.requests.clear()
  }

  private add(key: K, place: Place, onResult: (result: A) => void): void {
    const request = this.requests.get(key) ?? {
      waiters: new Map(),
      isRunning: false,
      startedAt: -Infinity,
      timer: undefined,
    }
    this.requests.set(key, request)
    request.waiters.set(place, onResult)
    if (request.isRunning || request.timer !== undefined) return
    this.makeReady(key, request, [place])
  }

  private leave(key: K, place: Place): void {
    this.config.queue.leave(place)
    const request = this.requests.get(key)
    if (request?.waiters.delete(place) !== true) return
    const isIdle = !request.isRunning && request.timer === undefined
    if (isIdle && request.waiters.size === 0) this.requests.delete(key)
  }

  private makeReady(key: K, request: SharedRequest<A>, places: Iterable<Place>): void {
    const { queue } = this.config
    const start = (): void => this.start(key, request)
    for (const place of places) queue.ready(place, start)
  }

  private start(key: K, request: SharedRequest<A>): void {
    const { queue, clock, send } = this.config
    for (const place of request.waiters.keys()) queue.park(place)
    request.isRunning = true
    request.startedAt = clock.elapsed()
    send(key, (result) => {
      // Consumers that arrive from now on, also from inside a callback, wait for the next request.
      const { waiters } = request
      request.waiters = new Map()
      request.isRunning = false
      for (const place of waiters.keys()) queue.leave(place)
      if (this.requests.get(key) === request) this.continue(key, request)
      queue.onEnd()
      for (const onResult of waiters.values()) notify(onResult, result)
    })
  }

  /** Forgets a key without consumers, once its next request may start. */
  private continue(key: K, request: SharedRequest<A>): void {
    const { clock, minInterval } = this.config
    const remaining = request.startedAt + minInterval - clock.elapsed()
    if (remaining > 0) {
      request.timer = delay(clock, Math.ceil(remaining), () => {
        request.timer = undefined
        this.continue(key, request)
        this.config.queue.startNext()
      })
    } else if (request.waiters.size > 0) this.makeReady(key, request, request.waiters.keys())
    else this.requests.delete(key)
  }
}

/** An exception of one consumer does not affect the others. */
const notify = <A>(consumer: (result: A) => void, result: A): void => {
  try {
    consumer(result)
  } catch (thrown) {
    reportError(thrown)
  }
}
