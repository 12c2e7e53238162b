import { isLeft, left, type Either } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import type { Secrets } from '../auth/secrets.js'
import { parseRetryAfter } from '../codec/http-headers.js'
import type { FailedResponse } from '../codec/response-text.js'
import type { Publish } from '../../base/diagnostics/messages.js'
import { hostWithPort } from '../../base/domain/endpoint.js'
import { networkError, timeout } from '../../base/errors/constructors.js'
import type { DecodeError, NetworkError, Timeout, AnyError } from '../../base/errors/model.js'
import { noCancel, type Cancel, type CancellableTask } from '../../base/task/cancellable-task.js'
import { maxBlockedMs, type Clock } from '../../base/time/clock.js'
import { responsiveDeadline } from '../../base/time/deadline.js'
import {
  headerOf,
  type InternalHttpTransport,
  type HttpResult,
  type HttpResponse,
  type OnHttpResult,
} from '../transport/ports.js'
import type { RequestLimiter, RunningRequest } from './request-limiter.js'

export interface GetConfig {
  readonly clock: Clock
  readonly publish: Publish
  readonly http: InternalHttpTransport
  readonly limiter: RequestLimiter
  /** The limit from the request to the last byte of its response, in ms. */
  readonly requestTimeout: number
  readonly maxBodyBytes: number
  /** Redacted from errors: a response may repeat the request, and an exception of a transport may contain it. */
  readonly secrets: Secrets
}

export interface GetTarget {
  /** Scheme, host and port. */
  readonly origin: string
  readonly path: string
  /** The path without its argument, such as `/price/{topic}`: the name of the request in diagnostics. */
  readonly route: string
  /** Called each time the request is sent, because a signature expires while the request is queued. */
  readonly headers: () => Readonly<Record<string, string>>
  /** Called when the request is about to be sent for the first time. It may cancel the task. */
  readonly onTurn?: (() => void) | undefined
}

export type GetError = NetworkError | DecodeError | Timeout

export type GetResult = Either<GetError, HttpResponse>

/**
 * A task that sends one GET request on each run, once the limits allow it. A request that the transport reports as
 * repeatable is sent once more, on a new connection: a service often closes an idle connection while the next request
 * is in flight. Cancelling the task, or the timeout over both, aborts the request.
 */
export const get =
  (config: GetConfig, target: GetTarget): CancellableTask<GetResult> =>
  (onResult) => {
    const request = new GetRequest(config, target, onResult)
    request.enqueue()
    return () => request.cancel()
  }

class GetRequest {
  private isSettled = false
  /** True from the second time on that the request is queued. */
  private isRepeated = false
  private leaveQueue = noCancel
  /** Aborts the request, while it is running. */
  private abort = noCancel
  /** Undefined while the request is queued for the first time. */
  private timer: Subscription | undefined
  /** When the request was sent first: monotonic, in ms. */
  private sentAt: number | undefined

  constructor(
    private readonly config: GetConfig,
    private readonly target: GetTarget,
    private readonly onResult: (result: GetResult) => void,
  ) {}

  enqueue(): void {
    const onTurn = (): void => {
      if (!this.isRepeated) this.target.onTurn?.()
      if (!this.isSettled) this.send()
    }
    this.leaveQueue = this.config.limiter.acquire(onTurn, this.isRepeated)
  }

  cancel(): void {
    if (this.isSettled) return
    this.isSettled = true
    this.timer?.unsubscribe()
    this.leaveQueue()
    this.abort()
  }

  private send(): void {
    const { clock, http, limiter, requestTimeout, maxBodyBytes } = this.config
    const { origin, path, headers } = this.target
    const running = limiter.start()
    const sentAt = clock.elapsed()
    this.sentAt ??= clock.elapsed()
    this.timer ??= responsiveDeadline(clock, requestTimeout, () => this.onTimeout())
    const onHttpResult: OnHttpResult = (result, mayRepeat = false) => {
      if (running.hasEnded) return
      running.onEnd()
      this.onResponse(withoutSuspend(result, clock.elapsed() - sentAt), mayRepeat)
    }
    const reportsSent = http.callsOnSent === true
    try {
      // Another transport gets no function: it may pass the request to a worker.
      const onSent = reportsSent ? () => running.onSent() : undefined
      const abort = http.get(
        { origin, path, headers: headers(), maxBodyBytes, newConnection: this.isRepeated, onSent },
        onHttpResult,
      )
      if (running.hasEnded) return
      if (!reportsSent) running.onSent()
      this.abort = () => abortRunning(running, abort)
      // `headers` may have run the caller's code, which may have cancelled the request.
      if (this.isSettled) this.abort()
    } catch (thrown) {
      onHttpResult(left(networkError(thrown)))
    }
  }

  private onResponse(result: HttpResult, mayRepeat: boolean): void {
    if (this.isSettled) return
    if (!mayRepeat || this.isRepeated) return this.settle(result)
    this.isRepeated = true
    this.config.publish('svc-streams:repeated', () => ({ host: hostWithPort(new URL(this.target.origin)) }))
    // A subscriber of the channel may have closed the client. The cast undoes the narrowing by the check above.
    if (!(this.isSettled as boolean)) this.enqueue()
  }

  private onTimeout(): void {
    this.cancel()
    this.finish(left(timeout(this.config.requestTimeout)))
  }

  private settle(result: GetResult): void {
    this.isSettled = true
    this.timer?.unsubscribe()
    this.finish(result)
  }

  private finish(result: GetResult): void {
    const { clock, publish } = this.config
    const { origin, route } = this.target
    publish('svc-streams:request', () => {
      const durationMs = this.sentAt === undefined ? 0 : clock.elapsed() - this.sentAt
      const [status, error] = isLeft(result)
        ? [undefined, result.left._tag]
        : [result.right.status, undefined]
      return { host: hostWithPort(new URL(origin)), route, durationMs, status, error }
    })
    this.onResult(result)
  }
}

const abortRunning = (running: RunningRequest, abort: Cancel): void => {
  if (running.hasEnded) return
  running.onEnd()
  try {
    abort()
  } catch {
    // The transport failed to abort a request whose result is not delivered any more.
  }
}

/** A response whose status is not 200. Its delay is that of the `Retry-After` header. */
export const failedResponse = (response: HttpResponse, receivedAt: number): FailedResponse => ({
  status: response.status,
  body: response.body,
  retryAfterMs: parseRetryAfter(headerOf(response, 'retry-after'), headerOf(response, 'date'), receivedAt),
})

/** Decodes a response. `receivedAt` is in ms since the Unix epoch. */
export type ReadResponse<E, A> = (response: HttpResponse, receivedAt: number) => Either<E, A>

/** The value of a response, or an error without secrets. */
export const readResult = <E extends AnyError, A>(
  { clock, secrets }: Pick<GetConfig, 'clock' | 'secrets'>,
  result: GetResult,
  read: ReadResponse<E, A>,
): Either<GetError | E, A> => {
  const value: Either<GetError | E, A> = isLeft(result) ? result : read(result.right, clock.wallClock())
  return secrets.redactLeft(value)
}

/** A response that may be from before a suspend of the machine is not current, and its `Date` header is old. */
const withoutSuspend = (result: HttpResult, ms: number): HttpResult => {
  if (isLeft(result) || ms < maxBlockedMs) return result
  const reason = `the machine was suspended, or its clock set forward: the request took ${Math.round(ms)} ms`
  return left(networkError(new Error(reason)))
}
