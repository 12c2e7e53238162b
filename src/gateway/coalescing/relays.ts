import { isLeft, map, type Either } from 'fp-ts/lib/Either.js'
import type { Client, PriceClient } from '../../client/client.js'
import { priceFeedOf } from '../../client/price-feed.js'
import { parseAddress, parseTopic } from '../../wire/codec/arguments.js'
import { encodeDepth } from '../../wire/codec/depth.js'
import { canonicalAddress } from '../../base/domain/address.js'
import type { Depth } from '../../base/domain/depth.js'
import type { Price } from '../../base/domain/price.js'
import { addressOf, type Topic } from '../../base/domain/topic.js'
import { plainDecimal } from '../../base/domain/plain-decimal.js'
import { isPriceValue } from '../../base/domain/valid-numbers.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import type {
  DepthError,
  HttpError,
  InvalidMint,
  InvalidTopic,
  PriceRequestError,
} from '../../base/errors/model.js'
import { jsonResponse, textResponse, type TextResponse } from '../server/http-response.js'
import type { Report } from '../server/report.js'
import type { Resource } from '../server/request.js'
import { completedTask, type CancellableTask } from '../../base/task/cancellable-task.js'
import type { Clock } from '../../base/time/clock.js'
import { RequestQueue, type Requester } from './request-queue.js'
import { RequestSharer } from './request-sharer.js'

export interface RelaysConfig {
  readonly clock: Clock
  readonly report: Report
  /** Name of the service: prefix of topics. */
  readonly service: string
  /** Minimum time between the starts of two depth requests for one mint, in ms. */
  readonly depthEvery: number
}

/**
 * Answers requests of consumers with the results of the client, with one request of the client at a time per mint and
 * topic.
 */
export interface Relays {
  /**
   * Cancelling drops the response. A request to the service that is not sent yet is not sent if no other consumer waits
   * for it.
   */
  readonly respond: (resource: Resource, requester: Requester) => CancellableTask<TextResponse>
  readonly close: () => void
}

/** Number of consumers' requests that wait for a response. Consumers of NATS may be 10 000, and share a request. */
const maxWaiting = 10_000

/** The relays of a gateway, whose requests are published in diagnostics. */
export const createRelays = (
  client: PriceClient | Client,
  { clock, report, service, depthEvery }: RelaysConfig,
): Relays => {
  // Shared by both relays, which share the queue of the client.
  const queue = new RequestQueue({ maxWaiting, whenSendable: priceFeedOf(client).whenSendable })
  const relayOf = <K extends string>(
    kind: Resource['kind'],
    minInterval: number,
    keyOf: (name: string) => Either<InvalidMint | InvalidTopic, K>,
    request: (key: K) => Promise<Either<RelayError, TextResponse>>,
  ) => {
    const sharer = new RequestSharer<K, TextResponse>({
      clock,
      queue,
      refusal: tooManyRequests,
      minInterval,
      onRequest: (shared) => report('svc-streams:gateway-request', { kind, shared }),
      send: (key, onResult) => void responseOf(() => request(key)).then(onResult),
    })
    return {
      respond: (name: string, requester: Requester): CancellableTask<TextResponse> => {
        const key = keyOf(name)
        return isLeft(key) ? completedTask(failureResponse(key.left)) : sharer.request(key.right, requester)
      },
      close: () => sharer.close(),
    }
  }
  const canonicalTopic = (topic: Topic): Topic => `${service}-${canonicalAddress(addressOf(topic))}`
  const relays = {
    depth: relayOf(
      'depth',
      depthEvery,
      (name) => map(canonicalAddress)(parseAddress(name)),
      async (mint) => {
        if (!('depth' in client)) throw new ConfigurationError('depth', 'the client has none')
        return map(depthResponse)(await client.depth(mint)())
      },
    ),
    price: relayOf(
      'price',
      0,
      (name) => map(canonicalTopic)(parseTopic(name, service)),
      async (topic) => map(priceResponse)(await client.price(topic)()),
    ),
  }
  return {
    respond: ({ kind, name }, requester) => relays[kind].respond(name, requester),
    close: () => {
      relays.depth.close()
      relays.price.close()
    },
  }
}

/** Never rejects. */
const responseOf = async (
  request: () => Promise<Either<RelayError, TextResponse>>,
): Promise<TextResponse> => {
  try {
    const result = await request()
    return isLeft(result) ? failureResponse(result.left) : result.right
  } catch (thrown) {
    // An exception of a custom client is handled like a failure of the network.
    return thrown instanceof ConfigurationError ? noDepth : textResponse(...fixedResponses.NetworkError)
  }
}

/** A test client may have a depth that the service could not send, such as one with NaN. */
const depthResponse = (depth: Depth): TextResponse => {
  try {
    return jsonResponse(200, encodeDepth(depth))
  } catch {
    return textResponse(502, 'Bad Gateway: the depth of this client has no valid text')
  }
}

/** A test client may have a price that the service could not send, such as NaN. */
const priceResponse = ({ price }: Price): TextResponse =>
  isPriceValue(price)
    ? textResponse(200, plainDecimal(price))
    : textResponse(502, 'Bad Gateway: the price of this client has no valid text')

const noDepth = textResponse(404, 'Not Found: the client of this gateway has no depth')

/** The response for a request beyond the limit of the queue. */
const tooManyRequests: TextResponse = textResponse(
  503,
  'Service Unavailable: too many requests wait for the service',
  { 'Retry-After': '1' },
)

type RelayError = DepthError | PriceRequestError

/**
 * The response for an error of the client. The service's own errors keep their status and text. Failures between gateway
 * and service become 5xx with a fixed text: a 401 would make consumers doubt their own keys.
 */
const failureResponse = (error: RelayError): TextResponse => {
  if (error._tag === 'UnsupportedPair') return textResponse(500, error.body)
  return error._tag === 'HttpError' ? httpErrorResponse(error) : textResponse(...fixedResponses[error._tag])
}

/** A status that is not final cannot be sent; 401 would refer to the consumer's key, and 200 would be a success. */
const httpErrorResponse = ({ status, body, retryAfterMs }: HttpError): TextResponse => {
  const isSendable = Number.isInteger(status) && status > 200 && status < 600 && status !== 401
  const headers: Record<string, string> =
    retryAfterMs === undefined ? {} : { 'Retry-After': String(Math.ceil(retryAfterMs / 1000)) }
  return isSendable
    ? textResponse(status, body, headers)
    : textResponse(502, 'Bad Gateway: unexpected status of the service', headers)
}

const fixedResponses: Readonly<
  Record<
    Exclude<RelayError['_tag'], 'UnsupportedPair' | 'HttpError'>,
    readonly [status: number, text: string]
  >
> = {
  // The service's error text (section 7 of the service's documentation).
  InvalidTopic: [500, 'Invalid (exchange, base, quote) tuple'],
  InvalidMint: [400, 'Bad Request: the mint is not 0x and hex digits'],
  Unauthorized: [502, 'Bad Gateway: the service rejected the signature of the gateway'],
  NetworkError: [502, 'Bad Gateway: no response from the service'],
  DecodeError: [502, 'Bad Gateway: invalid response from the service'],
  InvalidInterval: [502, 'Bad Gateway: invalid request to the service'],
  Timeout: [504, 'Gateway Timeout: no complete response from the service in time'],
  ClientClosed: [503, 'Service Unavailable: the client of this gateway is closed'],
}
