import { right } from 'fp-ts/lib/Either.js'
import type { Topic } from '../domain/topic.js'
import { safeComplete, safeNext } from '../task/safe-notify.js'
import type { PriceEventFactory } from './price-events.js'
import type { PriceEvent, PriceSubscriber } from './subscriber-list.js'
import type { TopicState } from './topic-state.js'

/** An event and the subscribers at the time when it occurred. */
export interface Delivery {
  readonly subscribers: readonly PriceSubscriber[]
  readonly eventFor: PriceEventFactory
  /** True if the event is followed by completion. */
  readonly completes?: boolean
}

/**
 * Notifies all subscribers, and returns the last event. An exception in one subscriber does not affect the others. A
 * subscriber that another one unsubscribes during the delivery receives nothing. Consecutive subscribers that wrote the
 * topic alike share one event object.
 */
export const deliver = ({ subscribers, eventFor, completes = false }: Delivery): PriceEvent | undefined => {
  let topic: Topic | undefined
  let event: PriceEvent | undefined
  for (const subscriber of subscribers) {
    if (event === undefined || subscriber.topic !== topic) {
      topic = subscriber.topic
      event = eventFor(topic)
    }
    safeNext(subscriber.subscriber, event)
    if (completes) safeComplete(subscriber.subscriber)
  }
  return event
}

/**
 * Delivers the topic's last price. Does the same as `deliver`, without allocating a closure per price. `isCurrent`: asked
 * before each subscriber but the first, because the handlers before it may take seconds. Returns false if the price was no
 * longer current: the remaining subscribers have not received it.
 */
export const deliverPrice = (state: TopicState, isCurrent: () => boolean): boolean => {
  const { soleSubscriber, soleTopic, price, receivedAt, epoch } = state
  if (soleSubscriber !== undefined) {
    safeNext(soleSubscriber, right({ topic: soleTopic, price, receivedAt, epoch }))
    return true
  }
  let topic: Topic | undefined
  let event: PriceEvent | undefined
  // A subscriber that joins during the delivery has received the price already.
  const end = state.last?.position ?? 0
  for (let each = state.first; each !== undefined && each.position <= end; each = each.next) {
    if (event !== undefined && !isCurrent()) return false
    if (event === undefined || each.topic !== topic) {
      topic = each.topic
      event = right({ topic, price, receivedAt, epoch })
    }
    safeNext(each.subscriber, event)
  }
  return true
}
