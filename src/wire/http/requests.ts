import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { Signer } from '../auth/sign-request.js'
import { parseAddress, parseTopic } from '../codec/arguments.js'
import { decodeDepth } from '../codec/depth.js'
import type { Secrets } from '../auth/secrets.js'
import { parseHttpDate, parseRetryAfter } from '../codec/http-headers.js'
import { depthFailure, decodePriceText, priceFailure, type FailedResponse } from '../codec/response-text.js'
import type { Address, Topic } from '../../base/domain/topic.js'
import type { Depth } from '../../base/domain/depth.js'
import type { Endpoint } from '../../base/domain/endpoint.js'
import type { AnyError, DepthError, PriceRequestError } from '../../base/errors/model.js'
import {
  completedTask,
  noCancel,
  type Cancel,
  type CancellableTask,
} from '../../base/task/cancellable-task.js'
import { headerOf } from '../transport/ports.js'
import { get, type GetConfig, type GetError, type GetResult, type ReceivedResponse } from './get.js'
import type { Price } from '../../base/domain/price.js'

export interface RelayerConfig extends GetConfig {
  readonly relayer: Endpoint
  /** Sent with each request. */
  readonly headers: Readonly<Record<string, string>>
  /** `undefined`: requests are not signed. */
  readonly sign: Signer | undefined
  /** The validity of a signature, in ms. */
  readonly authExpiration: number
}

export type DepthEvent = Either<DepthError, Depth>

export const depthRoute = '/v0/order_book/depth/{mint}'

/** Requests are signed if there is a key (section 5 of the service's documentation). Errors contain no secrets. */
export class Relayer {
  /** The service's clock minus the local clock, in ms. */
  private clockOffset = 0

  constructor(private readonly config: RelayerConfig) {}

  /** Host and port, for diagnostics. */
  get host(): string {
    return this.config.relayer.host
  }

  /** The depth of one mint (section 4.1 of the service's documentation). */
  depth(mint: Address): CancellableTask<DepthEvent> {
    // The caller may have confused the mint with a secret.
    const parsed = this.config.secrets.redactLeft(parseAddress(mint))
    if (isLeft(parsed)) return completedTask(parsed)
    const path = requestPath(this.config.relayer, `/v0/order_book/depth/${mint}`)
    const read = (result: GetResult): DepthEvent =>
      readResult(this.config.secrets, result, (received) => readDepth(mint, received))
    return (onResult) => this.send(path, (result) => onResult(read(result)))
  }

  /** Signs and sends. After a 401 that a wrong clock may have caused, the request is sent once more with the service's clock. */
  private send(path: string, onResult: (result: GetResult) => void): Cancel {
    let usedOffset = this.clockOffset
    // Read when the request is sent: while it is queued, another request may correct the clock.
    const currentOffset = () => (usedOffset = this.clockOffset)
    let cancelSecond = noCancel
    const cancelFirst = this.attempt(path, currentOffset, (first) => {
      const offset = this.correctedOffset(first, usedOffset)
      if (offset === undefined) return onResult(first)
      const correctedOffset = () => offset
      cancelSecond = this.attempt(path, correctedOffset, (second) => {
        // After another 401 the offset is not stored: the `Date` header may be wrong.
        if (isRight(second) && second.right.response.status !== 401) this.clockOffset = offset
        onResult(second)
      })
    })
    return () => {
      cancelFirst()
      cancelSecond()
    }
  }

  private attempt(path: string, clockOffset: () => number, onResult: (result: GetResult) => void): Cancel {
    const { clock, relayer, headers, sign, authExpiration } = this.config
    /** Runs the caller's `canonicalHeaders`. `get` returns an exception in it as a `NetworkError`. */
    const allHeaders = () => ({
      ...headers,
      ...sign?.(path, Math.round(clock.wallClock() + clockOffset() + authExpiration)),
    })
    const { origin, host } = relayer
    const task = get(this.config, { origin, host, path, route: depthRoute, headers: allHeaders })
    return task(onResult)
  }

  /**
   * The clock offset to retry with, if the result is a 401 that a wrong clock may have caused. Without a valid `Date`
   * header the offset is NaN, and no comparison with NaN is true. A request without a signature has no expiration.
   */
  private correctedOffset(result: GetResult, clockOffset: number): number | undefined {
    const { sign, authExpiration } = this.config
    if (sign === undefined || isLeft(result) || result.right.response.status !== 401) return undefined
    const offset = parseHttpDate(headerOf(result.right.response, 'date')) - result.right.receivedAt
    return Math.abs(offset - clockOffset) > authExpiration / 2 ? offset : undefined
  }
}

const readDepth = (mint: Address, received: ReceivedResponse): DepthEvent => {
  const { response, receivedAt } = received
  if (response.status !== 200) return left(depthFailure(failedResponse(received)))
  const depth = decodeDepth(response.body)
  return isLeft(depth) ? depth : right({ mint, ...depth.right, receivedAt })
}

export interface PriceRequestConfig extends GetConfig {
  readonly prices: Endpoint
  readonly service: string
}

/** The current price of one topic (section 4.2 of the service's documentation). */
export const priceRequest = (
  config: PriceRequestConfig,
  topic: Topic,
): CancellableTask<Either<PriceRequestError, Price>> => {
  // The caller may have confused the topic with a secret.
  const parsed = config.secrets.redactLeft(parseTopic(topic, config.service))
  if (isLeft(parsed)) return completedTask(parsed)
  const { origin, host } = config.prices
  const path = requestPath(config.prices, `/price/${topic}`)
  const task = get(config, { origin, host, path, route: '/price/{topic}', headers: () => ({}) })
  const read = (received: ReceivedResponse) => readPrice(topic, received)
  return (onResult) => task((result) => onResult(readResult(config.secrets, result, read)))
}

const readPrice = (topic: Topic, received: ReceivedResponse): Either<PriceRequestError, Price> => {
  const { response, receivedAt } = received
  if (response.status !== 200) return left(priceFailure(failedResponse(received)))
  const price = decodePriceText(response.body)
  return isLeft(price) ? price : right({ topic, price: price.right, receivedAt, epoch: 0 })
}

/** The path of a resource as it is sent. `resource`: a path of the service's documentation. */
export const requestPath = (endpoint: Endpoint, resource: string): string =>
  `${endpoint.prefix}${resource}${endpoint.query}`

const readResult = <E extends AnyError, A>(
  secrets: Secrets,
  result: GetResult,
  read: (received: ReceivedResponse) => Either<E, A>,
): Either<GetError | E, A> => {
  const value: Either<GetError | E, A> = isLeft(result) ? result : read(result.right)
  return secrets.redactLeft(value)
}

/** A response whose status is not 200. Its delay is that of the `Retry-After` header. */
const failedResponse = ({ response, receivedAt }: ReceivedResponse): FailedResponse => ({
  status: response.status,
  body: response.body,
  retryAfterMs: parseRetryAfter(headerOf(response, 'retry-after'), headerOf(response, 'date'), receivedAt),
})
