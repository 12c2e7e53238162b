import type { Either } from 'fp-ts/lib/Either.js'
import type { Subscriber } from 'rxjs'
import type { Price } from '../domain/price.js'
import type { Topic } from '../domain/topic.js'
import type { PriceError } from '../errors/model.js'

export type PriceEvent = Either<PriceError, Price>

/** A subscriber of one topic. The list of the topic changes the last three fields. */
export interface PriceSubscriber {
  /** The topic as this subscriber wrote it. */
  readonly topic: Topic
  readonly subscriber: Subscriber<PriceEvent>
  /** Called when the service confirms the topic on a connection. Must not throw. */
  readonly onConfirmed: (() => void) | undefined
  /** Increases along the list; 0 while the subscriber is not in a list. */
  position: number
  previous: PriceSubscriber | undefined
  /** Kept after removal, so that a delivery that has arrived at this subscriber continues. */
  next: PriceSubscriber | undefined
}

/**
 * The subscribers of one topic, in the order in which they joined. A linked list: a subscriber joins and leaves in
 * constant time, and a topic with one subscriber needs no array.
 */
export interface SubscriberList {
  /** The only subscriber, if there is exactly one. Avoids the list on the hot path. */
  soleSubscriber: Subscriber<PriceEvent> | undefined
  /** The topic as the first current subscriber wrote it. */
  soleTopic: Topic
  first: PriceSubscriber | undefined
  last: PriceSubscriber | undefined
}

/** The position of the last subscriber that joined any list. A position is never used twice. */
let lastPosition = 0

/** Appends a subscriber that is in no list. */
export const addToList = (list: SubscriberList, subscriber: PriceSubscriber): void => {
  subscriber.position = ++lastPosition
  subscriber.previous = list.last
  subscriber.next = undefined
  if (list.last === undefined) list.first = subscriber
  else list.last.next = subscriber
  list.last = subscriber
  setSole(list)
}

/** Has no effect on a subscriber that was removed before. */
export const removeFromList = (list: SubscriberList, subscriber: PriceSubscriber): void => {
  if (subscriber.position === 0) return
  const { previous, next } = subscriber
  if (previous === undefined) list.first = next
  else previous.next = next
  if (next === undefined) list.last = previous
  else next.previous = previous
  subscriber.position = 0
  subscriber.previous = undefined
  setSole(list)
}

/** The current subscribers. Later changes of the list do not affect the array. */
export const subscribersIn = ({ first }: SubscriberList): readonly PriceSubscriber[] => {
  const subscribers: PriceSubscriber[] = []
  for (let each = first; each !== undefined; each = each.next) subscribers.push(each)
  return subscribers
}

const setSole = (list: SubscriberList): void => {
  const { first, last } = list
  list.soleSubscriber = first === last ? first?.subscriber : undefined
  if (first !== undefined) list.soleTopic = first.topic
}
