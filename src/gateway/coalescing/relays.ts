import { isLeft, left, map, type Either } from 'fp-ts/lib/Either.js'
import type { Client, PriceClient } from '../../client/client.js'
import { priceFeedOf } from '../../client/price-feed.js'
import { parseAddress, parseTopic } from '../../wire/codec/arguments.js'
import { encodeDepth } from '../../wire/codec/depth.js'
import { depthFailure, priceFailure } from '../../wire/codec/response-text.js'
import type { Publish } from '../../base/diagnostics/messages.js'
import { canonicalAddress, type Address } from '../../base/domain/address.js'
import type { Depth } from '../../base/domain/depth.js'
import type { Price } from '../../base/domain/price.js'
import { addressOf, type Topic } from '../../base/domain/topic.js'
import { plainDecimal } from '../../base/domain/plain-decimal.js'
import { isPriceValue } from '../../base/domain/valid-numbers.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { networkError } from '../../base/errors/constructors.js'
import type {
  DepthError,
  HttpError,
  InvalidMint,
  InvalidTopic,
  NetworkError,
  PriceRequestError,
  Tagged,
  UnsupportedPair,
} from '../../base/errors/model.js'
import { jsonResponse, textResponse, type TextResponse } from '../server/http-response.js'
import type { Resource } from '../server/request.js'
import { completedTask, noCancel, type CancellableTask } from '../../base/task/cancellable-task.js'
import type { Clock } from '../../base/time/clock.js'
import { RequestQueue, type Requester } from './request-queue.js'
import { RequestSharer } from './request-sharer.js'

export interface RelaysConfig {
  readonly clock: Clock
  readonly publish: Publish
  /** The name of the gateway in diagnostics. */
  readonly ownHost: () => string
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
  { clock, publish, ownHost, service, depthEvery }: RelaysConfig,
): Relays => {
  // Shared by both relays, which share the queue of the client.
  const queue = new RequestQueue({ maxWaiting, whenSendable: priceFeedOf(client).whenSendable })
  const relayOf = <K extends string>(
    kind: Resource['kind'],
    minInterval: number,
    keyOf: (name: string) => Either<InvalidMint | InvalidTopic, K>,
    request: (key: K) => Promise<TextResponse>,
  ) => {
    const sharer = new RequestSharer<K, TextResponse>({
      clock,
      queue,
      refusal: tooManyRequests,
      minInterval,
      onRequest: (shared) =>
        publish('svc-streams:gateway-request', () => ({ host: ownHost(), kind, shared })),
      requestOf: (key) => (onResult) => {
        void request(key).then(onResult)
        return noCancel
      },
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
      async (mint) => depthResponse(mint, await requestDepth(client, mint)),
    ),
    price: relayOf(
      'price',
      0,
      (name) => map(canonicalTopic)(parseTopic(name, service)),
      async (topic) => priceResponse(await tryRequest(() => client.price(topic)())),
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

const requestDepth = async (
  client: PriceClient | Client,
  mint: Address,
): Promise<Either<DepthError | NoDepth, Depth>> =>
  'depth' in client
    ? tryRequest<DepthError | NoDepth, Depth>(() => client.depth(mint)(), noDepth)
    : left(noDepth)

/** An exception of a custom client is handled like a failure of the network. `refused`: the error of a `ConfigurationError`. */
const tryRequest = async <E, A>(
  request: () => Promise<Either<E, A>>,
  refused?: E,
): Promise<Either<E | NetworkError, A>> => {
  try {
    return await request()
  } catch (thrown) {
    return left((thrown instanceof ConfigurationError ? refused : undefined) ?? networkError(thrown))
  }
}

const depthResponse = (mint: string, result: Either<RelayError, Depth>): TextResponse => {
  if (isLeft(result)) return failureResponse(result.left, (error) => unsupportedMintText(error, mint))
  try {
    return jsonResponse(200, encodeDepth(result.right))
  } catch {
    // A test client may have a depth that the service could not send, such as NaN as a price.
    return textResponse(502, 'Bad Gateway: the depth of this client has no valid text')
  }
}

const priceResponse = (result: Either<PriceRequestError, Price>): TextResponse => {
  if (isLeft(result)) return failureResponse(result.left, unsupportedTopicText)
  const { price } = result.right
  // A test client may have a price that the service could not send, such as NaN.
  return isPriceValue(price)
    ? textResponse(200, plainDecimal(price))
    : textResponse(502, 'Bad Gateway: the price of this client has no valid text')
}

const noDepth: NoDepth = {
  _tag: 'NoDepth',
  message: 'Not Found: the client of this gateway has no depth',
}

/** The response for a request beyond the limit of the queue. */
const tooManyRequests: TextResponse = textResponse(
  503,
  'Service Unavailable: too many requests wait for the service',
  { 'Retry-After': '1' },
)

type RelayError = DepthError | PriceRequestError | NoDepth

/**
 * The response for an error of the client. The service's own errors keep their status and text. Failures between gateway
 * and service become 5xx with a fixed text: a 401 would make consumers doubt their own keys.
 */
const failureResponse = (
  error: RelayError,
  unsupportedText: (error: UnsupportedPair) => string = unsupportedTopicText,
): TextResponse => {
  if (error._tag === 'UnsupportedPair') return textResponse(500, unsupportedText(error))
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

// The service's error texts (section 7 of the service's documentation). A test client or a replay may have an
// `UnsupportedPair` with another text, from which a consumer's client could not restore the error.

/** A malformed topic, or an internal error of the price reporter. */
const invalidTupleText = 'Invalid (exchange, base, quote) tuple'

const fixedResponses: Readonly<
  Record<
    Exclude<RelayError['_tag'], 'UnsupportedPair' | 'HttpError'>,
    readonly [status: number, text: string]
  >
> = {
  InvalidTopic: [500, invalidTupleText],
  InvalidMint: [400, 'Bad Request: the mint is not 0x and hex digits'],
  NoDepth: [404, noDepth.message],
  Unauthorized: [502, 'Bad Gateway: the service rejected the signature of the gateway'],
  NetworkError: [502, 'Bad Gateway: no response from the service'],
  DecodeError: [502, 'Bad Gateway: invalid response from the service'],
  InvalidInterval: [502, 'Bad Gateway: invalid request to the service'],
  Timeout: [504, 'Gateway Timeout: no complete response from the service in time'],
  ClientClosed: [503, 'Service Unavailable: the client of this gateway is closed'],
}

/** The text of a depth response. `mint`: the requested one. */
const unsupportedMintText = ({ base = '', quote = '', body }: UnsupportedPair, mint: string): string =>
  depthFailure(failed(body))._tag === 'UnsupportedPair'
    ? body
    : `UnsupportedPair(Token { addr: "${quotable(base) || mint}" }, Token { addr: "${quotable(quote)}" })`

/** The text of a price response. */
const unsupportedTopicText = ({ body }: UnsupportedPair): string =>
  priceFailure(failed(body))._tag === 'UnsupportedPair' ? body : invalidTupleText

const failed = (body: string) => ({ status: 500, body, retryAfterMs: undefined })

/** An address of the text; anything else is omitted. */
const quotable = (address: string): string => (/^\w+$/.test(address) ? address : '')

/** The client has no depth methods. */
type NoDepth = Tagged<'NoDepth'>
