import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { catchError, concatMap, defer, map, of, type Observable } from 'rxjs'
import { redacted, redactedCut } from '../auth/redact.js'
import type { Signer } from '../auth/signer.js'
import { decodeDepth } from '../codec/depth.js'
import { retryAfterMs } from '../codec/retry-after.js'
import { depthFailure } from '../codec/service-error.js'
import { isAddress, type Address } from '../domain/address.js'
import type { Depth } from '../domain/depth.js'
import { invalidMint, networkError } from '../errors/constructors.js'
import type { DepthError } from '../errors/model.js'
import { pathBelow, type Endpoint } from '../domain/endpoint.js'
import type { HttpResponse } from '../transport/transport.js'
import { wallClock } from '../time/clock.js'
import { request$, type RequestConfig, type RequestError } from './request.js'

export interface DepthRequestConfig extends RequestConfig {
  readonly relayer: Endpoint
  readonly sign: Signer
  /** How long a signature is good for, in ms. */
  readonly authExpiration: number
}

export type DepthEvent = Either<DepthError, Depth>

/** Signed depth requests (section 4.1 of the service's documentation). Remembers how far the service's clock is off. */
export class DepthRequests {
  /** What the service's clock is ahead of ours, in ms. */
  private clockOffset = 0

  constructor(private readonly config: DepthRequestConfig) {}

  /** One value, then completion. */
  request$(mint: Address): Observable<DepthEvent> {
    if (!isAddress(mint)) return of(left(invalidMint(mint)))
    const path = pathBelow(this.config.relayer, `/v0/order_book/depth/${mint}`)
    return this.attempt$(path).pipe(
      concatMap((attempt) => (this.adoptsClock(attempt) ? this.attempt$(path) : of(attempt))),
      map((attempt) => readDepth(mint, attempt)),
    )
  }

  /** Signed afresh on each subscription. */
  private attempt$(path: string): Observable<Attempt> {
    const { relayer, sign, authExpiration } = this.config
    const { clockOffset } = this
    const attempt$ = defer(() => {
      const expiration = Math.round(wallClock() + clockOffset + authExpiration)
      const { headers, secrets } = sign(path, expiration)
      return request$(this.config, { origin: relayer.origin, path, headers }).pipe(
        map((answer) => ({ answer, secrets, clockOffset })),
      )
    })
    // Signing runs the caller's `canonicalHeaders`: what that throws must not become an Rx error either.
    return attempt$.pipe(
      catchError((thrown: unknown) =>
        of({ answer: left(networkError(thrown)), secrets: () => [], clockOffset }),
      ),
    )
  }

  /** A 401 may mean only that our clock was off when it was signed: whether it was, in which case it no longer is. */
  private adoptsClock({ answer, clockOffset }: Attempt): boolean {
    if (isLeft(answer) || answer.right.status !== 401) return false
    const serviceNow = Date.parse(answer.right.headers['date'] ?? '')
    const offset = serviceNow - wallClock()
    if (!(Math.abs(offset - clockOffset) > this.config.authExpiration / 2)) return false
    this.clockOffset = offset
    return true
  }
}

interface Attempt {
  readonly answer: Either<RequestError, HttpResponse>
  /** What no error may repeat of what it was signed with. */
  readonly secrets: () => readonly string[]
  /** What the service's clock was taken to be ahead of ours, in ms. */
  readonly clockOffset: number
}

/** A service, or what stands before it, may repeat a request in its answer: what an error shows is made without. */
const readDepth = (mint: Address, { answer, secrets }: Attempt): DepthEvent => {
  if (isLeft(answer)) return left(withoutSecrets(answer.left, secrets()))
  const { status, headers, body } = answer.right
  const receivedAt = wallClock()
  if (status !== 200) {
    const wait = retryAfterMs(headers['retry-after'], headers['date'], receivedAt)
    return left(depthFailure({ status, body: redacted(body, secrets()), retryAfterMs: wait }))
  }
  const decoded = decodeDepth(body)
  const depth = isLeft(decoded) ? decodeDepth(redacted(body, secrets())) : decoded
  return isLeft(depth) ? depth : right({ mint, ...depth.right, receivedAt })
}

const withoutSecrets = (error: RequestError, secrets: readonly string[]): RequestError =>
  error._tag === 'DecodeError' ? { ...error, input: redactedCut(error.input, secrets) } : error
