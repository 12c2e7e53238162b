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
import { clockOffset, suspendedFor, type Clock } from '../../base/time/clock.js'
import { responsiveDeadline } from '../../base/time/deadline.js'
import {
  headerOf,
  type HttpAnswer,
  type HttpResponse,
  type HttpTransport,
  type OnHttpResult,
} from '../transport/ports.js'
import type { LimitedTask, RequestLimiter } from './request-limiter.js'

export interface GetConfig {
  readonly clock: Clock
  readonly publish: Publish
  readonly http: HttpTransport
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
  /** Called when a queued request is about to be sent. It may cancel the task. */
  readonly onTurn?: (() => void) | undefined
}

export type GetError = NetworkError | DecodeError | Timeout

export type GetResult = Either<GetError, HttpResponse>

/**
 * A task that sends one GET request on each run, once the limits allow it, and repeats it as `sendRequest` describes.
 * Cancelling the task, or the timeout over both, aborts the request.
 */
export const get =
  (
    { clock, publish, http, limiter, requestTimeout, maxBodyBytes }: GetConfig,
    { origin, path, route, headers, onTurn }: GetTarget,
  ): CancellableTask<GetResult> =>
  (onResult) => {
    let isSettled = false
    let abort = noCancel
    /** Undefined while the request is queued. */
    let timer: Subscription | undefined
    /** When the request was sent first: monotonic, in ms. */
    let sentAt: number | undefined

    /** Returns false if the task was settled before. */
    const settle = (): boolean => {
      const wasSettled = isSettled
      isSettled = true
      timer?.unsubscribe()
      return !wasSettled
    }
    const complete = (result: GetResult): void => {
      if (settle()) finish(result)
    }
    const finish = (result: GetResult): void => {
      publish('svc-streams:request', () => {
        const durationMs = sentAt === undefined ? 0 : clock.elapsed() - sentAt
        const [status, error] = isLeft(result)
          ? [undefined, result.left._tag]
          : [result.right.status, undefined]
        return { host: hostWithPort(new URL(origin)), route, durationMs, status, error }
      })
      onResult(result)
    }
    const onTimeout = (): void => {
      if (!settle()) return
      abort()
      finish(left(timeout(requestTimeout)))
    }

    const sendNow =
      (newConnection: boolean): LimitedTask<Outcome> =>
      (onOutcome, onSent) => {
        sentAt ??= clock.elapsed()
        timer ??= responsiveDeadline(clock, requestTimeout, onTimeout)
        const offset = clockOffset(clock)
        const currentOrLeft = (result: HttpAnswer): HttpAnswer =>
          withoutSuspend(result, suspendedFor(offset, clockOffset(clock)))
        const reportsSent = http.callsOnSent === true
        try {
          // Another transport gets no function: it may pass the request to a worker.
          const abortRequest: unknown = http.get(
            {
              origin,
              path,
              headers: headers(),
              maxBodyBytes,
              newConnection,
              onSent: reportsSent ? onSent : undefined,
            },
            (result, mayRepeat = false) =>
              onOutcome({ result: currentOrLeft(checkedAnswer(result)), mayRepeat }),
          )
          if (!reportsSent) onSent()
          return typeof abortRequest === 'function' ? withoutException(abortRequest as Cancel) : noCancel
        } catch (thrown) {
          onOutcome({ result: left(networkError(thrown)), mayRepeat: false })
          return noCancel
        }
      }
    const sendOnce: SendOnce = (newConnection, onSent) => {
      const onOutcome = ({ result, mayRepeat }: Outcome) => onSent(result, mayRepeat)
      const task = sendNow(newConnection)
      return newConnection ? limiter.runFirst(task, onOutcome) : limiter.run(task, onOutcome, onTurn)
    }
    abort = sendRequest(origin, sendOnce, publish, complete)
    return () => {
      if (settle()) abort()
    }
  }

/** An exception of the transport is its failure to abort: of a request whose result is not delivered any more. */
const withoutException =
  (abort: Cancel): Cancel =>
  () => {
    try {
      abort()
    } catch {
      return
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

interface Outcome {
  readonly result: HttpAnswer
  readonly mayRepeat: boolean
}

/** A response that may be from before a suspend of the machine is not current, and its `Date` header is old. */
const withoutSuspend = (result: HttpAnswer, suspendedMs: number): HttpAnswer => {
  if (isLeft(result) || suspendedMs === 0) return result
  const reason = `the machine was suspended, or its clock set forward, by ${Math.round(suspendedMs)} ms during the request`
  return left(networkError(new Error(reason)))
}

/** Sends a request once, on a new connection if `newConnection`. Never throws. Returns the function that aborts it. */
export type SendOnce = (newConnection: boolean, onResult: OnHttpResult) => Cancel

/**
 * Sends a request to an origin. Sends it once more, on a new connection, if the transport reports that it may be
 * repeated: a service often closes an idle connection while the next request is in flight. Returns the function that
 * aborts.
 */
export const sendRequest = (
  origin: string,
  sendOnce: SendOnce,
  publish: Publish,
  onResult: (result: HttpAnswer) => void,
): Cancel => {
  let isAborted = false
  let abortSecond = noCancel

  const abortFirst = sendOnce(false, (result, mayRepeat = false) => {
    if (!mayRepeat || isAborted) return onResult(result)
    publish('svc-streams:repeated', () => ({ host: hostWithPort(new URL(origin)) }))
    // A subscriber of the channel may have closed the client. The cast undoes the narrowing by the check above.
    if (!(isAborted as boolean)) abortSecond = sendOnce(true, (second) => onResult(second))
  })
  return () => {
    isAborted = true
    abortFirst()
    abortSecond()
  }
}

/**
 * The result of a request, as the transport passed it. A result of a wrong type is a `NetworkError`: a transport may be
 * plain JavaScript, and each request must have a result.
 */
export const checkedAnswer = (answer: HttpAnswer): HttpAnswer =>
  isAnswer(answer) ? answer : left(networkError(new TypeError('the transport passed an invalid result')))

const isAnswer = (answer: unknown): boolean => {
  if (!isObject(answer)) return false
  const { _tag, left: error, right: response } = answer
  if (_tag === 'Left') return isObject(error) && isText(error['_tag']) && isText(error['message'])
  if (_tag !== 'Right' || !isObject(response)) return false
  return typeof response['status'] === 'number' && isText(response['body']) && isObject(response['headers'])
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const isText = (value: unknown): boolean => typeof value === 'string'
