import { isLeft, map as mapRight, type Either } from 'fp-ts/lib/Either.js'
import { map, race, Subscription } from 'rxjs'
import type { Client, PriceClient } from '../../client/client.js'
import { priceFeedOf } from '../server/client-feed.js'
import { parseAddress, parseTopic } from '../../wire/codec/arguments.js'
import { encodeDepth } from '../../wire/codec/depth.js'
import { canonicalAddress, type Address, addressOf, type Topic } from '../../base/domain/topic.js'
import type { Depth } from '../../base/domain/depth.js'
import type { Price } from '../../base/domain/price.js'
import { plainDecimal } from '../../base/domain/plain-decimal.js'
import { isPriceValue } from '../../base/domain/valid-numbers.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import type { DepthError, HttpError, PriceRequestError } from '../../base/errors/model.js'
import type { GatewaySetup } from '../options.js'
import { jsonResponse, textResponse, type TextResponse } from '../server/http-response.js'
import type { Resource } from '../server/request.js'
import { completedTask, type CancellableTask } from '../../base/task/cancellable-task.js'
import { RequestSharer, type SharedRequest } from './request-sharer.js'
import type { Requester } from './turns.js'

export type Relays = ReturnType<typeof createRelays>

/** Number of consumers' requests that wait for a response. Consumers of NATS may be 10 000, and share a request. */
const maxWaiting = 10_000

/** Answers requests of consumers with the results of the client: one request at a time per mint and topic. */
export const createRelays = (
  client: PriceClient | Client,
  { clock, report, service, depthEvery }: Pick<GatewaySetup, 'clock' | 'report' | 'service' | 'depthEvery'>,
) => {
  const { whenSendable, requestTimeout$ } = priceFeedOf(client)
  const tooLate$ = requestTimeout$.pipe(map(() => textResponse(...fixedResponses.Timeout)))
  const running = new Subscription()
  const sharer = new RequestSharer<TextResponse>({
    clock,
    whenSendable,
    maxWaiting,
    refusal: tooManyRequests,
  })
  const requestOf = (
    kind: Resource['kind'],
    key: string,
    minInterval: number,
    request: () => Promise<RelayResult>,
  ): SharedRequest<TextResponse> => ({
    key,
    minInterval,
    send: (onResult) => running.add(race(responseOf(request), tooLate$).subscribe(onResult)),
    onRequest: (shared) => report('svc-streams:gateway-request', { kind, shared }),
  })
  const depthRequest = (requested: Address): SharedRequest<TextResponse> => {
    const mint = canonicalAddress(requested)
    return requestOf('depth', mint, depthEvery, async () => {
      if (!('depth' in client)) throw new ConfigurationError('depth', 'the client has none')
      return mapRight(depthResponse)(await client.depth(mint)())
    })
  }
  const priceRequest = (requested: Topic): SharedRequest<TextResponse> => {
    const topic: Topic = `${service}-${canonicalAddress(addressOf(requested))}`
    return requestOf('price', topic, 0, async () => mapRight(priceResponse)(await client.price(topic)()))
  }
  return {
    /** Cancelling drops the response. A request that no consumer waits for is not sent to the service. */
    respond: ({ kind, name }: Resource, requester: Requester): CancellableTask<TextResponse> => {
      const request: Either<RelayError, SharedRequest<TextResponse>> = kind === 'depth'
        ? mapRight(depthRequest)(parseAddress(name))
        : mapRight(priceRequest)(parseTopic(name, service))
      return isLeft(request)
        ? completedTask(failureResponse(request.left))
        : sharer.request(request.right, requester)
    },
    close: (): void => {
      running.unsubscribe()
      sharer.close()
    },
  }
}

/** Never rejects. */
const responseOf = async (request: () => Promise<RelayResult>): Promise<TextResponse> => {
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

const tooManyRequests: TextResponse = textResponse(
  503,
  'Service Unavailable: too many requests wait for the service',
  { 'Retry-After': '1' },
)

type RelayError = DepthError | PriceRequestError

type RelayResult = Either<RelayError, TextResponse>

/** Failures between gateway and service become 5xx with a fixed text: a 401 would make consumers doubt their own keys. */
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
