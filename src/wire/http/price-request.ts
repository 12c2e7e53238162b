import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { decodePriceText, priceFailure } from '../codec/response-text.js'
import { parseTopic } from '../codec/arguments.js'
import { requestPath, type Endpoint } from '../../base/domain/endpoint.js'
import type { Price } from '../../base/domain/price.js'
import type { Topic } from '../../base/domain/topic.js'
import type { PriceRequestError } from '../../base/errors/model.js'
import { completedTask, type CancellableTask } from '../../base/task/cancellable-task.js'
import { get, failedResponse, readResult, type GetConfig, type ReceivedResponse } from './get.js'

export interface PriceRequestConfig extends GetConfig {
  readonly prices: Endpoint
  /** The name of the service, for example `svc`. */
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
  const { origin } = config.prices
  const path = requestPath(config.prices, `/price/${topic}`)
  const task = get(config, { origin, path, route: '/price/{topic}', headers: () => ({}) })
  const read = (received: ReceivedResponse) => readPrice(topic, received)
  return (onResult) => task((result) => onResult(readResult(config.secrets, result, read)))
}

const readPrice = (topic: Topic, received: ReceivedResponse): Either<PriceRequestError, Price> => {
  const { response, receivedAt } = received
  if (response.status !== 200) return left(priceFailure(failedResponse(received)))
  const price = decodePriceText(response.body)
  return isLeft(price) ? price : right({ topic, price: price.right, receivedAt, epoch: 0 })
}
