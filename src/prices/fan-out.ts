import { right } from 'fp-ts/lib/Either.js'
import type { Topic } from '../domain/topic.js'
import { complete, next } from '../task/safe-notify.js'
import type { PriceEventFactory } from './price-events.js'
import type { TopicState, PriceSubscriber, PriceEvent } from './topic-state.js'

/** A set of listeners as it was when something happened, and what they are to be told of it. */
export interface Delivery {
  readonly subscribers: readonly PriceSubscriber[]
  readonly eventFor: PriceEventFactory
  /** Whether nothing can follow. */
  readonly completes?: boolean
}

/**
 * Tells everybody. Who throws is kept away from the others, and a listener that a handler has just unsubscribed
 * hears nothing. Listeners who wrote the topic alike share one value. Returns what was told last.
 */
export const deliver = ({ subscribers, eventFor, completes = false }: Delivery): PriceEvent | undefined => {
  let topic: Topic | undefined
  let event: PriceEvent | undefined
  for (const listener of subscribers) {
    if (event === undefined || listener.topic !== topic) {
      topic = listener.topic
      event = eventFor(topic)
    }
    next(listener.subscriber, event)
    if (completes) complete(listener.subscriber)
  }
  return event
}

/** As `deliver`, for the prices that it is all about: of the topic's last price, without a closure for each. */
export const deliverPrice = ({
  subscribers,
  soleSubscriber,
  soleTopic,
  price,
  receivedAt,
  epoch,
}: TopicState): void => {
  if (soleSubscriber !== undefined) {
    next(soleSubscriber, right({ topic: soleTopic, price, receivedAt, epoch }))
    return
  }
  let topic: Topic | undefined
  let event: PriceEvent | undefined
  for (const listener of subscribers) {
    if (event === undefined || listener.topic !== topic) {
      topic = listener.topic
      event = right({ topic, price, receivedAt, epoch })
    }
    next(listener.subscriber, event)
  }
}
