import { left, type Either } from 'fp-ts/lib/Either.js'
import { catchError, defer, finalize, from, map, of, race, take, type Observable } from 'rxjs'
import { networkError, timeout } from '../errors/constructors.js'
import type { DecodeError, NetworkError, Timeout } from '../errors/model.js'
import type { HttpResponse, HttpTransport } from '../transport/transport.js'
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
  defer(() => {
    const abort = new AbortController()
    const answer$ = defer(() => from(http.get({ ...target, maxBodyBytes, signal: abort.signal }))).pipe(
      catchError((thrown: unknown) => of(left(networkError(thrown)))),
    )
    const late$ = deadline$(requestTimeout, () => 0).pipe(map(() => left(timeout(requestTimeout))))
    return race<Either<RequestError, HttpResponse>[]>(answer$, late$).pipe(
      take(1),
      finalize(() => abort.abort()),
    )
  })
