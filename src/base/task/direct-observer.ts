import { config, Observable, type Observer, type Subscriber } from 'rxjs'

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
