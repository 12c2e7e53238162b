import { left, type Either } from 'fp-ts/lib/Either.js'
import { Observable } from 'rxjs'
import { retryAfterMs } from '../codec/retry-after.js'
import { networkError, timeout } from '../errors/constructors.js'
import type { DecodeError, NetworkError, Timeout } from '../errors/model.js'
import { headerOf, type HttpAnswer, type HttpResponse, type HttpTransport } from '../transport/transport.js'
import { deadline$ } from '../time/deadline.js'

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

/** One request on each subscription: one value, then completion. Unsubscribing, or the deadline, aborts it. */
export const request$ = (
  { http, requestTimeout, maxBodyBytes }: RequestConfig,
  target: Target,
): Observable<Either<RequestError, HttpResponse>> =>
  new Observable((subscriber) => {
    let isAnswered = false
    const tell = (answer: Either<RequestError, HttpResponse>): void => {
      subscriber.next(answer)
      subscriber.complete()
    }
    const answered = (answer: HttpAnswer): void => {
      isAnswered = true
      tell(answer)
    }
    subscriber.add(deadline$(requestTimeout).subscribe(() => tell(left(timeout(requestTimeout)))))
    try {
      const abort = http.get({ ...target, maxBodyBytes }, answered)
      subscriber.add(() => {
        if (!isAnswered) abort()
      })
    } catch (thrown) {
      answered(left(networkError(thrown)))
    }
  })

/** What an answer asks to wait before the next request, in ms, if it does. */
export const askedWait = (response: HttpResponse, receivedAt: number): number | undefined =>
  retryAfterMs(headerOf(response, 'retry-after'), headerOf(response, 'date'), receivedAt)
