import { left, right } from 'fp-ts/lib/Either.js'
import type { Topic } from '../domain/topic.js'
import type { PriceError } from '../errors/model.js'
import type { Listener, PriceEvent, Quote } from './entry.js'

/** What a listener is told, given the topic as that listener wrote it. */
export type Tell = (topic: Topic) => PriceEvent

/** A set of listeners as it was when something happened, and what they are to be told of it. */
export interface Delivery {
  readonly audience: readonly Listener[]
  readonly tell: Tell
  /** Whether nothing can follow. */
  readonly last?: boolean
}

export const quoted =
  (quote: Quote): Tell =>
  (topic) =>
    right({ topic, price: quote.price, receivedAt: quote.receivedAt, epoch: quote.epoch })

export const failed =
  (error: (topic: Topic) => PriceError): Tell =>
  (topic) =>
    left(error(topic))

/**
 * Tells everybody. Rx keeps a throwing handler away from the others, and a listener that a handler has just
 * unsubscribed hears nothing. Listeners who wrote the topic alike share one value.
 */
export const deliver = ({ audience, tell, last = false }: Delivery): void => {
  let topic: Topic | undefined
  let event: PriceEvent | undefined
  for (const listener of audience) {
    if (event === undefined || listener.topic !== topic) {
      topic = listener.topic
      event = tell(topic)
    }
    listener.subscriber.next(event)
    if (last) listener.subscriber.complete()
  }
}
