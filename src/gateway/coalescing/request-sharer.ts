import type { Subscription } from 'rxjs'
import { noCancel, type CancellableTask } from '../../base/task/cancellable-task.js'
import { reportError } from '../../base/task/safe-notify.js'
import type { Clock } from '../../base/time/clock.js'
import { delay } from '../../base/time/deadline.js'
import type { Place, Requester, RequestQueue } from './request-queue.js'

export interface RequestSharerConfig<A> {
  readonly clock: Clock
  readonly queue: RequestQueue
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

/** The requests of one key. */
interface Shared<A> {
  readonly request: SharedRequest<A>
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
export class RequestSharer<A> {
  private readonly byKey = new Map<string, Shared<A>>()
  private isClosed = false

  constructor(private readonly config: RequestSharerConfig<A>) {}

  /** The number of keys with a request that runs, that waits, or that was started less than `minInterval` ago. */
  get size(): number {
    return this.byKey.size
  }

  /** Cancelling leaves the request. A request that waits for its start is not sent without consumers. */
  request(request: SharedRequest<A>, requester: Requester): CancellableTask<A> {
    return (onResult) => {
      if (this.isClosed) return noCancel
      const { queue, refusal } = this.config
      const leave = (): void => this.leave(request.key, place)
      const place = queue.enter(requester, () => {
        leave()
        onResult(refusal)
      })
      request.onRequest?.((this.byKey.get(request.key)?.waiters.size ?? 0) > 0)
      this.add(request, place, onResult)
      queue.refuseExcess(place)
      queue.startNext()
      return leave
    }
  }

  /** Drops all consumers and timers. Later requests are neither sent nor answered. */
  close(): void {
    this.isClosed = true
    for (const { timer, waiters } of this.byKey.values()) {
      timer?.unsubscribe()
      for (const place of waiters.keys()) this.config.queue.leave(place)
      waiters.clear()
    }
    this.byKey.clear()
  }

  private add(request: SharedRequest<A>, place: Place, onResult: (result: A) => void): void {
    const known = this.byKey.get(request.key)
    const shared = known ?? {
      request,
      waiters: new Map<Place, (result: A) => void>(),
      isRunning: false,
      startedAt: -Infinity,
      timer: undefined,
    }
    this.byKey.set(request.key, shared)
    shared.waiters.set(place, onResult)
    if (shared.isRunning || shared.timer !== undefined) return
    this.makeReady(shared, [place])
  }

  private leave(key: string, place: Place): void {
    this.config.queue.leave(place)
    const shared = this.byKey.get(key)
    if (shared?.waiters.delete(place) !== true) return
    const isIdle = !shared.isRunning && shared.timer === undefined
    if (isIdle && shared.waiters.size === 0) this.byKey.delete(key)
  }

  private makeReady(shared: Shared<A>, places: Iterable<Place>): void {
    const start = (): void => this.start(shared)
    for (const place of places) this.config.queue.ready(place, start)
  }

  private start(shared: Shared<A>): void {
    const { queue, clock } = this.config
    for (const place of shared.waiters.keys()) queue.park(place)
    shared.isRunning = true
    shared.startedAt = clock.elapsed()
    shared.request.send((result) => {
      // Consumers that arrive from now on, also from inside a callback, wait for the next request.
      const { waiters } = shared
      shared.waiters = new Map()
      shared.isRunning = false
      for (const place of waiters.keys()) queue.leave(place)
      if (this.byKey.get(shared.request.key) === shared) this.continue(shared)
      queue.onEnd()
      for (const onResult of waiters.values()) notify(onResult, result)
    })
  }

  /** Forgets a key without consumers, once its next request may start. */
  private continue(shared: Shared<A>): void {
    const { clock, queue } = this.config
    const { request, startedAt, waiters } = shared
    const remaining = startedAt + request.minInterval - clock.elapsed()
    if (remaining > 0) {
      shared.timer = delay(clock, Math.ceil(remaining), () => {
        shared.timer = undefined
        this.continue(shared)
        queue.startNext()
      })
    } else if (waiters.size > 0) this.makeReady(shared, waiters.keys())
    else this.byKey.delete(request.key)
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
