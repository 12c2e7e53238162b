import type { Subscription } from 'rxjs'
import type { CancellableTask } from '../../task/cancellable-task.js'
import { reportError } from '../../task/safe-notify.js'
import type { Clock } from '../../time/clock.js'
import { delay } from '../../time/deadline.js'

export interface RequestSharerConfig<K extends string, A> {
  readonly clock: Clock
  /** Minimum time between the starts of two requests of one key, in ms. */
  readonly minInterval: number
  /** The request of a key. */
  readonly requestOf: (key: K) => CancellableTask<A>
  /** Called for each request of a consumer. `shared`: another consumer waits for the same result. */
  readonly onRequest?: (shared: boolean) => void
}

/** The requests of one key. */
interface SharedRequest<A> {
  /** Receive the result of the request that is running, or of the next one. */
  consumers: Set<(result: A) => void>
  isRunning: boolean
  /** Start of the latest request: monotonic, in ms. */
  startedAt: number
  /** Runs from the end of a request until the next one may start. */
  timer: Subscription | undefined
}

/**
 * Sends at most one request per key at a time. A consumer that comes while it runs shares it. One that comes later waits
 * until `minInterval` has passed since its start, and never receives a result that existed before it came.
 */
export class RequestSharer<K extends string, A> {
  private readonly requests = new Map<K, SharedRequest<A>>()

  constructor(private readonly config: RequestSharerConfig<K, A>) {}

  /** The number of keys with a request that runs, that waits, or that was started less than `minInterval` ago. */
  get size(): number {
    return this.requests.size
  }

  /** Cancelling leaves the request. A request that waits for its start is not sent without consumers. */
  request(key: K): CancellableTask<A> {
    return (onResult) => {
      const request = this.requests.get(key) ?? this.add(key)
      this.config.onRequest?.(request.consumers.size > 0)
      // Each call is a consumer of its own, also if two pass the same function.
      const consumer = (result: A): void => onResult(result)
      request.consumers.add(consumer)
      if (!request.isRunning && request.timer === undefined) this.start(key, request)
      return (): void => void request.consumers.delete(consumer)
    }
  }

  /** Drops all consumers and timers. */
  close(): void {
    for (const request of this.requests.values()) {
      request.timer?.unsubscribe()
      request.consumers.clear()
    }
    this.requests.clear()
  }

  private add(key: K): SharedRequest<A> {
    const request: SharedRequest<A> = {
      consumers: new Set(),
      isRunning: false,
      startedAt: -Infinity,
      timer: undefined,
    }
    this.requests.set(key, request)
    return request
  }

  private start(key: K, request: SharedRequest<A>): void {
    request.isRunning = true
    request.startedAt = this.config.clock.elapsed()
    this.config.requestOf(key)((result) => {
      // Consumers that come from here on, also from inside a callback, wait for the next request.
      const { consumers } = request
      request.consumers = new Set()
      request.isRunning = false
      if (this.requests.get(key) === request) this.continue(key, request)
      for (const consumer of consumers) notify(consumer, result)
    })
  }

  /** Starts the next request if it has consumers and may start. Forgets the key if it has none. */
  private continue(key: K, request: SharedRequest<A>): void {
    const { clock, minInterval } = this.config
    const remaining = request.startedAt + minInterval - clock.elapsed()
    if (remaining > 0) {
      request.timer = delay(clock, Math.ceil(remaining), () => {
        request.timer = undefined
        this.continue(key, request)
      })
    } else if (request.consumers.size > 0) this.start(key, request)
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
