import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { Secrets } from '../auth/secrets.js'
import type { Publish } from '../../base/diagnostics/messages.js'
import type { Endpoint } from '../../base/domain/endpoint.js'
import { networkError, timeout } from '../../base/errors/constructors.js'
import type { DecodeError, NetworkError, Timeout } from '../../base/errors/model.js'
import { noCancel, type Cancel, type CancellableTask } from '../../base/task/cancellable-task.js'
import type { Clock } from '../../base/time/clock.js'
import type { ResponsiveDeadlines } from '../../base/time/timers.js'
import type { HttpResponse, HttpResult, HttpTransport } from '../transport/ports.js'
import type { RequestLimiter, RunningRequest } from './request-limiter.js'

export interface GetConfig {
  readonly clock: Clock
  readonly publish: Publish
  readonly http: HttpTransport
  readonly limiter: RequestLimiter
  /** The limit from the request to the last byte of its response, shared by all requests of a client. */
  readonly timeouts: ResponsiveDeadlines
  /** A response that is read later than this after its request is no value, in ms. */
  readonly maxLag: number
  readonly maxBodyBytes: number
  /** Redacted from errors: a response may repeat the request, and an exception of a transport may contain it. */
  readonly secrets: Secrets
}

export interface GetTarget extends Pick<Endpoint, 'origin' | 'host'> {
  readonly path: string
  /** The path without its argument, such as `/price/{topic}`: the name of the request in diagnostics. */
  readonly route: string
  /** Called each time the request is sent, because a signature expires while the request is queued. */
  readonly headers: () => Readonly<Record<string, string>>
}

export type GetError = NetworkError | DecodeError | Timeout

export interface ReceivedResponse {
  readonly response: HttpResponse
  /** At most 1 s after the arrival of the last byte. In ms since the Unix epoch. */
  readonly receivedAt: number
}

export type GetResult = Either<GetError, ReceivedResponse>

/**
 * A task that sends one GET request on each run, once the limits allow it. The request is sent once more, on a new
 * connection, if the service closed its reused connection without a response, which services do with idle connections, and
 * if its response was read later than `maxLag`. Cancelling the task, or the timeout over all, aborts the request.
 */
export const get =
  (config: GetConfig, target: GetTarget): CancellableTask<GetResult> =>
  (onResult) => {
    const request = new GetRequest(config, target, onResult)
    request.enqueue()
    return () => request.cancel()
  }

/** A response that the process could not read may have arrived this much earlier than `receivedAt`, in ms. */
const maxReadingTime = 900

class GetRequest {
  private isSettled = false
  /** True if it was repeated because the service closed its connection. */
  private wasLost = false
  /** True if it was repeated because its response was read late. */
  private wasLate = false
  private leaveQueue = noCancel
  /** The request that was sent last. `abort` ends it at the transport. */
  private running: RunningRequest | undefined
  private abort = noCancel
  /** Undefined while the request is queued for the first time. */
  private stopTimeout: Cancel | undefined
  /** When the request was sent first, and last: monotonic, in ms. */
  private firstSentAt: number | undefined
  private sentAt = 0

  constructor(
    private readonly config: GetConfig,
    private readonly target: GetTarget,
    private readonly onResult: (result: GetResult) => void,
  ) {}

  enqueue(): void {
    this.leaveQueue = this.config.limiter.acquire(() => this.send(), this.isRepeated)
  }

  cancel(): void {
    if (this.isSettled) return
    this.isSettled = true
    this.stopTimeout?.()
    this.leaveQueue()
    this.abortRunning()
  }

  private get isRepeated(): boolean {
    return this.wasLost || this.wasLate
  }

  private send(): void {
    const { http, limiter, maxBodyBytes } = this.config
    const { origin, path, headers } = this.target
    const running = limiter.start()
    this.onSent()
    this.stopTimeout ??= this.config.timeouts.start(() => this.onTimeout())
    const onHttpResult = (result: HttpResult, mayRepeat = false): void => {
      if (running.hasEnded) return
      running.onEnd()
      if (!this.isSettled) this.onHttpResult(result, mayRepeat)
    }
    const onSent = (): void => {
      this.onSent()
      running.onSent()
    }
    try {
      const request = { origin, path, headers: headers(), maxBodyBytes, newConnection: this.isRepeated }
      const abort = http.get(request, onHttpResult, onSent)
      if (running.hasEnded) return
      // Not a function of both: V8 allocates a function that is assigned to a property in its old space, where it keeps the request.
      this.running = running
      this.abort = abort
      // `headers` may have run the caller's code, which may have cancelled the request.
      if (this.isSettled) this.abortRunning()
    } catch (thrown) {
      onHttpResult(left(networkError(thrown)))
    }
  }

  /** The transport may fail to abort a request whose result is not delivered any more. */
  private abortRunning(): void {
    if (this.running === undefined || this.running.hasEnded) return
    this.running.onEnd()
    try {
      this.abort()
    } catch {
      return
    }
  }

  /** A transport that connects first reports it later again. */
  private onSent(): void {
    this.sentAt = this.config.clock.elapsed()
    this.firstSentAt ??= this.sentAt
  }

  private onTimeout(): void {
    this.cancel()
    this.finish(left(timeout(this.config.timeouts.ms)))
  }

  private onHttpResult(result: HttpResult, mayRepeat: boolean): void {
    const { clock, maxLag } = this.config
    const now = clock.elapsed()
    const isLate = isRight(result) && now - this.sentAt > maxLag
    if (mayRepeat && !this.isRepeated) return this.onLost()
    if (!isLate) return this.settle(isLeft(result) ? result : right(this.received(result.right, now)))
    if (this.wasLate) return this.settle(left(timeout(maxLag)))
    this.wasLate = true
    this.enqueue()
  }

  private onLost(): void {
    this.wasLost = true
    const { host } = this.target
    this.config.publish('svc-streams:repeated', () => ({ host }))
    // A subscriber of the channel may have closed the client.
    if (!this.isSettled) this.enqueue()
  }

  /** The process may have been stopped, or its event loop blocked, when the response arrived. */
  private received(response: HttpResponse, now: number): ReceivedResponse {
    const { clock, timeouts } = this.config
    const arrivedAfter = Math.max(this.sentAt, timeouts.readUntil)
    const lateMs = clock.isVirtual ? 0 : Math.max(0, now - arrivedAfter - maxReadingTime)
    return { response, receivedAt: Math.floor(clock.wallClock() - lateMs) }
  }

  private settle(result: GetResult): void {
    this.isSettled = true
    this.stopTimeout?.()
    this.finish(result)
  }

  private finish(result: GetResult): void {
    const { clock, publish } = this.config
    const { host, route } = this.target
    publish('svc-streams:request', () => {
      const durationMs = this.firstSentAt === undefined ? 0 : clock.elapsed() - this.firstSentAt
      if (isLeft(result)) return { host, route, durationMs, status: undefined, error: result.left._tag }
      return { host, route, durationMs, status: result.right.response.status, error: undefined }
    })
    this.onResult(result)
  }
}
