import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { decodePriceText } from '../codec/price-text.js'
import { priceFailure } from '../codec/service-error.js'
import { requestPath, type Endpoint } from '../domain/endpoint.js'
import type { Price } from '../domain/price.js'
import { isTopic, type Topic } from '../domain/topic.js'
import { invalidTopic } from '../errors/constructors.js'
import type { PriceRequestError } from '../errors/model.js'
import { completedTask, type CancellableTask } from '../task/cancellable-task.js'
import { wallClock } from '../time/clock.js'
import type { HttpResponse } from '../transport/ports.js'
import { askedWait, request, type RequestConfig } from './get.js'

export interface PriceRequestConfig extends RequestConfig {
  readonly prices: Endpoint
  readonly service: string
}

/** The current price of one topic over HTTP (section 4.2 of the service's documentation). */
export const priceRequest = (
  config: PriceRequestConfig,
  topic: Topic,
): CancellableTask<Either<PriceRequestError, Price>> => {
  if (!isTopic(topic, config.service)) return completedTask(left(invalidTopic(topic, config.service)))
  const { origin } = config.prices
  const path = requestPath(config.prices, `/price/${topic}`)
  const ask = request(config, { origin, path, headers: {} })
  return (answered) =>
    ask((response) => answered(isLeft(response) ? response : readPrice(topic, response.right)))
}

const readPrice = (topic: Topic, response: HttpResponse): Either<PriceRequestError, Price> => {
  const { status, body } = response
  const receivedAt = wallClock()
  if (status !== 200) {
    return left(priceFailure({ status, body, retryAfterMs: askedWait(response, receivedAt) }))
  }
  const price = decodePriceText(body)
  return isLeft(price) ? price : right({ topic, price: price.right, receivedAt, epoch: 0 })
}
