import { left, type Either } from 'fp-ts/lib/Either.js'
import { parseRetryAfter } from '../codec/retry-after.js'
import { networkError, timeout } from '../errors/constructors.js'
import type { DecodeError, NetworkError, Timeout } from '../errors/model.js'
import { noCancel, type CancellableTask } from '../task/cancellable-task.js'
import { deadline } from '../time/deadline.js'
import { headerOf, type HttpResponse, type HttpTransport } from '../transport/ports.js'

export interface RequestConfig {
  readonly http: HttpTransport
  /** The longest time from the request to the last byte of its answer, in ms. */
  readonly requestTimeout: number
  readonly maxBodyBytes: number
}

export interface Target {
  readonly origin: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

export type RequestError = NetworkError | DecodeError | Timeout

/** One request, sent each time that it is asked for. Taking it back, or the deadline, aborts it. */
export const request =
  (
    { http, requestTimeout, maxBodyBytes }: RequestConfig,
    { origin, path, headers }: Target,
  ): CancellableTask<Either<RequestError, HttpResponse>> =>
  (answered) => {
    let isOver = false
    let abort = noCancel

    /** Whether it has not been over before. */
    const end = (): boolean => {
      const wasOver = isOver
      isOver = true
      overdue.unsubscribe()
      return !wasOver
    }
    const tell = (answer: Either<RequestError, HttpResponse>): void => {
      if (end()) answered(answer)
    }
    const overdue = deadline(requestTimeout, () => {
      abort()
      tell(left(timeout(requestTimeout)))
    })

    try {
      abort = http.get({ origin, path, headers, maxBodyBytes }, tell)
    } catch (thrown) {
      tell(left(networkError(thrown)))
    }
    return () => {
      if (end()) abort()
    }
  }

/** What an answer asks to wait before the next request, in ms, if it does. */
export const askedWait = (response: HttpResponse, receivedAt: number): number | undefined =>
  parseRetryAfter(headerOf(response, 'retry-after'), headerOf(response, 'date'), receivedAt)
