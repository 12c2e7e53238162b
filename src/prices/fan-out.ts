import { right } from 'fp-ts/lib/Either.js'
import type { Topic } from '../domain/topic.js'
import { complete, next } from '../task/safe-notify.js'
import type { Tell } from './price-events.js'
import type { Entry, Listener, PriceEvent } from './topic-state.js'

/** A set of listeners as it was when something happened, and what they are to be told of it. */
export interface Delivery {
  readonly audience: readonly Listener[]
  readonly tell: Tell
  /** Whether nothing can follow. */
  readonly last?: boolean
}

/**
 * Tells everybody. Who throws is kept away from the others, and a listener that a handler has just unsubscribed
 * hears nothing. Listeners who wrote the topic alike share one value. Returns what was told last.
 */
export const deliver = ({ audience, tell, last = false }: Delivery): PriceEvent | undefined => {
  let topic: Topic | undefined
  let event: PriceEvent | undefined
  for (const listener of audience) {
    if (event === undefined || listener.topic !== topic) {
      topic = listener.topic
      event = tell(topic)
    }
    next(listener.subscriber, event)
    if (last) complete(listener.subscriber)
  }
  return event
}

/** As `deliver`, for the prices that it is all about: of the topic's last price, without a closure for each. */
export const deliverPrice = ({ audience, only, onlyTopic, price, receivedAt, epoch }: Entry): void => {
  if (only !== undefined) {
    next(only, right({ topic: onlyTopic, price, receivedAt, epoch }))
    return
  }
  let topic: Topic | undefined
  let event: PriceEvent | undefined
  for (const listener of audience) {
    if (event === undefined || listener.topic !== topic) {
      topic = listener.topic
      event = right({ topic, price, receivedAt, epoch })
    }
    next(listener.subscriber, event)
  }
}
