import { config, Observable, type Observer, type Subscriber, type Unsubscribable } from 'rxjs'

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
