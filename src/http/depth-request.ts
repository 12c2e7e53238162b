import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { redact } from '../auth/redact.js'
import type { SignatureHeaders, Signer } from '../auth/signer.js'
import { decodeDepth } from '../codec/depth.js'
import { parseHttpDate } from '../codec/http-date.js'
import { depthFailure } from '../codec/service-error.js'
import { isAddress, type Address } from '../domain/address.js'
import type { Depth } from '../domain/depth.js'
import { requestPath, type Endpoint } from '../domain/endpoint.js'
import { invalidMint, networkError } from '../errors/constructors.js'
import type { DepthError, NetworkError } from '../errors/model.js'
import { completedTask, noCancel, type CancellableTask, type Cancel } from '../task/cancellable-task.js'
import { wallClock } from '../time/clock.js'
import { headerOf, type HttpResponse } from '../transport/ports.js'
import { askedWait, request, type RequestConfig, type RequestError } from './get.js'

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

  /** Signed afresh each time that it is asked. */
  request(mint: Address): CancellableTask<DepthEvent> {
    if (!isAddress(mint)) return completedTask(left(invalidMint(mint)))
    const path = requestPath(this.config.relayer, `/v0/order_book/depth/${mint}`)
    return (answered) => {
      const { clockOffset } = this
      let takeBackSecond = noCancel
      const takeBackFirst = this.attempt(path, clockOffset, (answer, secrets) => {
        const offset = this.betterOffset(answer, clockOffset)
        if (offset === undefined) return answered(readDepth(mint, answer, secrets))
        takeBackSecond = this.attempt(path, offset, (second, secretsOfSecond) => {
          // Only one that helped is kept: a wrong date would spoil every request from here on.
          if (!isLeft(second) && second.right.status !== 401) this.clockOffset = offset
          answered(readDepth(mint, second, () => [...secretsOfSecond(), ...secrets()]))
        })
      })
      return () => {
        takeBackFirst()
        takeBackSecond()
      }
    }
  }

  private attempt(path: string, clockOffset: number, answered: Answered): Cancel {
    const signed = this.sign(path, clockOffset)
    if (isLeft(signed)) {
      answered(signed, noSecrets)
      return noCancel
    }
    const { headers, secrets } = signed.right
    const ask = request(this.config, { origin: this.config.relayer.origin, path, headers })
    return ask((answer) => answered(answer, secrets))
  }

  /** Signing runs the caller's `canonicalHeaders`: what that throws must not become an Rx error. */
  private sign(path: string, clockOffset: number): Either<NetworkError, SignatureHeaders> {
    try {
      const expiration = Math.round(wallClock() + clockOffset + this.config.authExpiration)
      return right(this.config.sign(path, expiration))
    } catch (thrown) {
      return left(networkError(thrown))
    }
  }

  /** A 401 may mean only that our clock was off when it was signed: what the service's is ahead, if it does. */
  private betterOffset(answer: Answer, clockOffset: number): number | undefined {
    if (isLeft(answer) || answer.right.status !== 401) return undefined
    const offset = parseHttpDate(headerOf(answer.right, 'date')) - wallClock()
    return Math.abs(offset - clockOffset) > this.config.authExpiration / 2 ? offset : undefined
  }
}

type Answer = Either<RequestError, HttpResponse>
type Secrets = SignatureHeaders['secrets']
type Answered = (answer: Answer, secrets: Secrets) => void

const noSecrets: Secrets = () => []

/** A service, or what stands before it, may repeat a request in its answer: what an error shows is made without. */
const readDepth = (mint: Address, answer: Answer, secrets: Secrets): DepthEvent => {
  if (isLeft(answer)) return left(withoutSecrets(answer.left, secrets()))
  const { status, body } = answer.right
  const receivedAt = wallClock()
  if (status !== 200) {
    const wait = askedWait(answer.right, receivedAt)
    return left(depthFailure({ status, body: redact(body, secrets()), retryAfterMs: wait }))
  }
  const decoded = decodeDepth(body)
  const depth = isLeft(decoded) ? decodeDepth(redact(body, secrets())) : decoded
  return isLeft(depth) ? depth : right({ mint, ...depth.right, receivedAt })
}

const withoutSecrets = (error: RequestError, secrets: readonly RegExp[]): RequestError =>
  error._tag === 'DecodeError' ? { ...error, input: redact(error.input, secrets) } : error
