import type { Client, PriceClient } from '../../client/client.js'
import { priceFeedOf } from '../../client/price-feed.js'
import type { Publish } from '../../diagnostics/messages.js'
import type { Clock } from '../../time/clock.js'
import type { Relay } from './relay.js'
import { RequestQueue } from './request-queue.js'
import { isLeft, left, type Either } from 'fp-ts/lib/Either.js'
import { parseAddress, parseTopic } from '../../codec/arguments.js'
import { encodeDepth } from '../../codec/depth.js'
import { canonicalAddress, type Address } from '../../domain/address.js'
import type { Depth } from '../../domain/depth.js'
import { ConfigurationError } from '../../errors/configuration-error.js'
import { networkError } from '../../errors/constructors.js'
import { jsonResponse, textResponse, type TextResponse } from '../../server/http-response.js'
import { completedTask } from '../../task/cancellable-task.js'
import { failureResponse, noDepth, tooManyRequests, type RelayError } from './failure-response.js'
import { RequestSharer } from './request-sharer.js'
import { unsupportedMintText, unsupportedTopicText } from './service-texts.js'
import { taskOf } from './task-of.js'
import { addressOf, type Topic } from '../../domain/topic.js'
import { isPriceValue } from '../../domain/valid-numbers.js'
import type { Price } from '../../domain/price.js'
import type { PriceRequestError } from '../../errors/model.js'

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

/** Number of consumers' requests that wait for a response. Consumers of NATS may be 10 000, and share a request. */
const maxWaiting = 10_000

/** The relays of a gateway, whose requests are published in diagnostics. */
export interface Relays {
  readonly depth: Relay
  readonly price: Relay
}

export const createRelays = (
  client: PriceClient | Client,
  { clock, publish, ownHost, service, depthEvery }: RelaysConfig,
): Relays => {
  const onRequest = (kind: 'depth' | 'price') => (shared: boolean) =>
    publish('svc-streams:gateway-request', () => ({ host: ownHost(), kind, shared }))
  // One for both: they share the queue of the client.
  const queue = new RequestQueue({ maxWaiting, whenSendable: priceFeedOf(client).whenSendable })
  return {
    depth: createDepthRelay(client, { clock, queue, depthEvery, onRequest: onRequest('depth') }),
    price: createPriceRelay(client, { clock, queue, service, onRequest: onRequest('price') }),
  }
}

interface RelayConfig {
  readonly clock: Clock
  readonly queue: RequestQueue
  /** Called for each request of a consumer. `shared`: another consumer waits for the same result. */
  readonly onRequest: (shared: boolean) => void
}

interface DepthRelayConfig extends RelayConfig {
  /** Minimum time between the starts of two requests for one mint, in ms. */
  readonly depthEvery: number
}

/** Depth requests: one at a time for each mint, and one response for all consumers that wait for it. */
const createDepthRelay = (
  client: PriceClient | Client,
  { clock, queue, depthEvery, onRequest }: DepthRelayConfig,
): Relay => {
  const sharer = new RequestSharer<Address, TextResponse>({
    clock,
    queue,
    refusal: tooManyRequests,
    onRequest,
    minInterval: depthEvery,
    requestOf: (mint) => taskOf(async () => depthResponse(mint, await requestDepth(client, mint))),
  })
  return {
    respond: (mint, requester) => {
      const address = parseAddress(mint)
      return isLeft(address)
        ? completedTask(failureResponse(address.left))
        : sharer.request(canonicalAddress(address.right), requester)
    },
    close: () => sharer.close(),
  }
}

/** An exception of a custom client is handled like a failure of the network. */
const requestDepth = async (
  client: PriceClient | Client,
  mint: Address,
): Promise<Either<RelayError, Depth>> => {
  if (!('depth' in client)) return left(noDepth)
  try {
    return await client.depth(mint)()
  } catch (thrown) {
    return left(thrown instanceof ConfigurationError ? noDepth : networkError(thrown))
  }
}

const depthResponse = (mint: string, result: Either<RelayError, Depth>): TextResponse => {
  if (isLeft(result)) {
    const error = result.left
    return error._tag === 'UnsupportedPair'
      ? textResponse(500, unsupportedMintText(error, mint))
      : failureResponse(error)
  }
  try {
    return jsonResponse(200, encodeDepth(result.right))
  } catch {
    // A test client may have a depth that the service could not send, such as NaN as a price.
    return textResponse(502, 'Bad Gateway: the depth of this client has no valid text')
  }
}

interface PriceRelayConfig extends RelayConfig {
  /** Name of the service: prefix of topics. */
  readonly service: string
}

/** Price requests over HTTP: one at a time for each topic, and one response for all consumers that wait for it. */
const createPriceRelay = (
  client: PriceClient,
  { clock, queue, service, onRequest }: PriceRelayConfig,
): Relay => {
  const sharer = new RequestSharer<Topic, TextResponse>({
    clock,
    queue,
    refusal: tooManyRequests,
    onRequest,
    minInterval: 0,
    requestOf: (topic) => taskOf(async () => priceResponse(await requestPrice(client, topic))),
  })
  return {
    respond: (text, requester) => {
      const topic = parseTopic(text, service)
      return isLeft(topic)
        ? completedTask(failureResponse(topic.left))
        : sharer.request(`${service}-${canonicalAddress(addressOf(topic.right))}`, requester)
    },
    close: () => sharer.close(),
  }
}

/** An exception of a custom client is handled like a failure of the network. */
const requestPrice = async (client: PriceClient, topic: Topic): Promise<Either<PriceRequestError, Price>> => {
  try {
    return await client.price(topic)()
  } catch (thrown) {
    return left(networkError(thrown))
  }
}

const priceResponse = (result: Either<PriceRequestError, Price>): TextResponse => {
  if (isLeft(result)) {
    const error = result.left
    return error._tag === 'UnsupportedPair'
      ? textResponse(500, unsupportedTopicText(error))
      : failureResponse(error)
  }
  const { price } = result.right
  // A test client may have a price that the service could not send, such as NaN.
  return isPriceValue(price)
    ? textResponse(200, String(price))
    : textResponse(502, 'Bad Gateway: the price of this client has no valid text')
}
