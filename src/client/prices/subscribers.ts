import { right, type Either } from 'fp-ts/lib/Either.js'
import { config, Observable, type Observer, type Subscriber, type Unsubscribable } from 'rxjs'
import type { Address, Topic } from '../../base/domain/topic.js'
import type { Price } from '../../base/domain/price.js'
import type { PriceError } from '../../base/errors/model.js'
import { safeComplete, safeNext } from '../../base/task/safe-notify.js'

export type PriceEvent = Either<PriceError, Price>

/** A price without a topic. Each subscriber receives the price with the topic in its own spelling. */
export type ReceivedPrice = Omit<Price, 'topic'>

/** Builds the event for one subscriber, from the topic in the subscriber's spelling. */
export type PriceEventFactory = (topic: Topic) => PriceEvent

/**
 * A subscriber of one topic, and its teardown in the same object: a topic may have many subscribers, and a closure each costs
 * memory. The list of the topic changes the fields that are not readonly.
 */
export class PriceSubscription implements Unsubscribable {
  /** Increases along the list; 0 while the subscriber is not in a list. */
  position = 0
  previous: PriceSubscription | undefined
  /** Kept after removal, so that a delivery continues from a removed subscriber. */
  next: PriceSubscription | undefined

  constructor(
    readonly base: Address,
    /** The topic as this subscriber wrote it. */
    readonly topic: Topic,
    readonly subscriber: Subscriber<PriceEvent>,
    /** Called when the service confirms the topic on a connection. Must not throw. */
    readonly onConfirmed: (() => void) | undefined,
    private readonly onUnsubscribe: (subscription: PriceSubscription) => void,
  ) {}

  unsubscribe(): void {
    this.onUnsubscribe(this)
  }
}

/**
 * The subscribers of one topic, in the order in which they joined. A linked list: a subscriber joins and leaves in
 * constant time, and a topic with one subscriber needs no array. Not a `Subject`, which searches an
 * array of all subscribers when one leaves, and has no check between two subscribers that the price is still current.
 */
export interface SubscriberList {
  /** The topic as the client sends it: the text of the first subscriber. */
  readonly topic: Topic
  /** The only subscriber, or its observer, if it wrote the topic alike. Avoids the list on the hot path. */
  soleSubscriber: NextTarget<PriceEvent> | undefined
  first: PriceSubscription | undefined
  last: PriceSubscription | undefined
}

/** The position of the last subscriber that joined any list. A position is never used twice. */
let lastPosition = 0

/** Appends a subscriber that is in no list. */
export const addToList = (list: SubscriberList, subscriber: PriceSubscription): void => {
  subscriber.position = ++lastPosition
  subscriber.previous = list.last
  subscriber.next = undefined
  if (list.last === undefined) list.first = subscriber
  else list.last.next = subscriber
  list.last = subscriber
  setSole(list)
}

/** Has no effect if the subscriber is already removed. */
export const removeFromList = (list: SubscriberList, subscriber: PriceSubscription): void => {
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

/** Moves all subscribers from a list to an empty one. */
export const moveList = (from: SubscriberList, to: SubscriberList): void => {
  to.first = from.first
  to.last = from.last
  setSole(to)
  from.first = from.last = from.soleSubscriber = undefined
}

export const takeList = (list: SubscriberList): readonly PriceSubscription[] => {
  const subscribers = subscribersIn(list)
  for (const subscriber of subscribers) removeFromList(list, subscriber)
  return subscribers
}

/** The current subscribers. Later changes of the list do not affect the array. */
export const subscribersIn = ({ first }: SubscriberList): readonly PriceSubscription[] => {
  const subscribers: PriceSubscription[] = []
  for (let each = first; each !== undefined; each = each.next) subscribers.push(each)
  return subscribers
}

const setSole = (list: SubscriberList): void => {
  const { first, last, topic } = list
  const isSole = first !== undefined && first === last && first.topic === topic
  list.soleSubscriber = isSole ? directObserver(first.subscriber) : undefined
}

/** An event and the subscribers at the time when it occurred. */
export interface Delivery {
  readonly subscribers: readonly PriceSubscription[]
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
 * Delivers the topic's last price. Does the same as `deliver`, without allocating a closure per price. `mayDeliver`: asked before
 * each subscriber but the first, because the handlers before it may take seconds. `after`: the position of the last subscriber
 * that has the price already. Returns false if the price was no longer current: the remaining subscribers have not received it.
 */
export const deliverPrice = (
  state: SubscriberList & ReceivedPrice,
  mayDeliver: () => boolean,
  after = 0,
): boolean => {
  const { soleSubscriber, topic: soleTopic, price, receivedAt, epoch } = state
  if (soleSubscriber !== undefined && after === 0) {
    safeNext(soleSubscriber, right({ topic: soleTopic, price, receivedAt, epoch }))
    return true
  }
  let topic: Topic | undefined
  let event: PriceEvent | undefined
  // A subscriber that joins during the delivery has received the price already.
  const end = state.last?.position ?? 0
  for (let each = state.first; each !== undefined && each.position <= end; each = each.next) {
    if (each.position <= after) continue
    if (event !== undefined && !mayDeliver()) return false
    if (event === undefined || each.topic !== topic) {
      topic = each.topic
      event = right({ topic, price, receivedAt, epoch })
    }
    safeNext(each.subscriber, event)
  }
  return true
}

// The properties of RxJS that its types do not declare. Without the expected form, the public ones are used.

/** Receives values: a subscriber, or the observer that it calls. */
export type NextTarget<A> = Pick<Observer<A>, 'next'>

/** The subscriber that RxJS creates for an observer. It calls the observer, and reports its exceptions. */
interface SafeSubscriber<A> {
  readonly next?: unknown
  readonly destination?: { readonly partialObserver?: NextTarget<A> } | null
}

const safe: SafeSubscriber<unknown> =
  new Observable<unknown>().subscribe() as unknown as SafeSubscriber<unknown>
const { next } = safe
const prototypeOf = (value: unknown): unknown => Object.getPrototypeOf(Object(value))
const safePrototype = prototypeOf(safe)
const destinationPrototype = prototypeOf(safe.destination)

/**
 * The observer that a subscriber calls: with thousands of topics, the two objects between them are read from memory for each
 * price. The subscriber itself if it does not have the form that is known, or if Zone has changed the class. Its `next` must be
 * called only while the subscriber is active, and its exceptions must be reported.
 */
export const directObserver = <A>(subscriber: Subscriber<A>): NextTarget<A> => {
  const known = subscriber as unknown as SafeSubscriber<A>
  const { destination } = known
  if (!isKnown(known) || prototypeOf(destination) !== destinationPrototype) return subscriber
  const observer = destination?.partialObserver
  return typeof observer?.next === 'function' ? observer : subscriber
}

const isKnown = (subscriber: Pick<SafeSubscriber<never>, 'next'>): boolean =>
  prototypeOf(subscriber) === safePrototype &&
  subscriber.next === next &&
  !('Zone' in globalThis) &&
  (config as { useDeprecatedSynchronousErrorHandling?: boolean }).useDeprecatedSynchronousErrorHandling !==
    true

/** The teardowns of a subscription: an array, or null as long as there is none. */
interface Finalizers {
  _finalizers?: readonly Unsubscribable[] | null
}

/**
 * Adds a teardown to a subscriber, as `subscriber.add` does. The first is stored in an array of one place: V8 reserves 17 places,
 * 136 bytes, in the empty array to which RxJS adds it. `teardown`: not a subscription of RxJS, which has a parent.
 */
export const addTeardown = (subscriber: Subscriber<unknown>, teardown: Unsubscribable): void => {
  const known = subscriber as unknown as Finalizers
  if (known._finalizers === null && !subscriber.closed) known._finalizers = [teardown]
  else subscriber.add(teardown)
}
