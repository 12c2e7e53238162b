import { isLeft, left, type Either } from 'fp-ts/lib/Either.js'
import type { PriceClient } from '../../client/client.js'
import { parseTopic } from '../../codec/arguments.js'
import { addressOf, type Topic } from '../../domain/topic.js'
import { canonicalAddress } from '../../domain/address.js'
import { isPriceValue } from '../../domain/valid-numbers.js'
import type { Price } from '../../domain/price.js'
import { networkError } from '../../errors/constructors.js'
import type { PriceRequestError } from '../../errors/model.js'
import { completedTask } from '../../task/cancellable-task.js'
import type { Clock } from '../../time/clock.js'
import { textResponse, type TextResponse } from '../../server/http-response.js'
import { failureResponse, tooManyRequests } from './failure-response.js'
import type { Relay } from './relay.js'
import type { RequestQueue } from './request-queue.js'
import { RequestSharer } from './request-sharer.js'
import { unsupportedTopicText } from './service-texts.js'
import { taskOf } from './task-of.js'

export interface PriceRelayConfig {
  readonly clock: Clock
  readonly queue: RequestQueue
  /** Called for each request of a consumer. `shared`: another consumer waits for the same result. */
  readonly onRequest: (shared: boolean) => void
  /** Name of the service: prefix of topics. */
  readonly service: string
}

/** Price requests over HTTP: one at a time for each topic, and one response for all consumers that wait for it. */
export const createPriceRelay = (
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
