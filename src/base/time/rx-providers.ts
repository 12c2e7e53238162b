import { config, Observable, type Observer, type Subscriber, type Unsubscribable } from 'rxjs'
import { dateTimestampProvider } from 'rxjs/internal/scheduler/dateTimestampProvider'
import { immediateProvider } from 'rxjs/internal/scheduler/immediateProvider'
import { intervalProvider } from 'rxjs/internal/scheduler/intervalProvider'
import { performanceTimestampProvider } from 'rxjs/internal/scheduler/performanceTimestampProvider'
import { Immediate } from 'rxjs/internal/util/Immediate'

// What the library uses of RxJS's internals: the providers, and the layout of a subscriber, which is read for each price. Only
// `src/backtest/replay/rx-delegates.ts` uses them too: a replay replaces the delegates. `test/package/versions.test.ts` runs both
// with the oldest and the newest version. RxJS reads clocks and starts timers through providers: `TestScheduler.run` replaces
// their delegates to make time virtual. The library does not run on the schedulers above them: `asapScheduler` and
// `queueScheduler` drop queued actions after an action that throws, and `asyncScheduler` may stop permanently.

// Not the types of the providers: declarations of the package must not import internals of RxJS, or need the types of the DOM.

export type IntervalHandle = number | ReturnType<typeof setTimeout>

export interface ImmediateDelegate {
  readonly setImmediate: (handler: () => void, ...args: unknown[]) => IntervalHandle
  readonly clearImmediate: (handle: IntervalHandle) => void
}

export interface PerformanceDelegate {
  readonly now: () => number
  /** True if it gives the time of the platform. */
  readonly isReal?: boolean
}

/** The time of day, in ms since the Unix epoch. */
export const dateNow = (): number => dateTimestampProvider.now()

/** Monotonic time, in ms. */
export const performanceNow = (): number => performanceTimestampProvider.now()

export const isVirtualTime = (): boolean => {
  const delegate: PerformanceDelegate | undefined = performanceTimestampProvider.delegate
  return delegate !== undefined && delegate.isReal !== true
}

/** Calls back every `ms` ms. Returns the function that stops it. */
export const startInterval = (callback: () => void, ms: number): (() => void) => {
  const handle = intervalProvider.setInterval(callback, ms)
  return () => intervalProvider.clearInterval(handle)
}

/** Calls back once after the current tick. Returns the function that cancels it. */
export const startImmediate = (callback: () => void): (() => void) => {
  const handle = immediateProvider.setImmediate(callback)
  return () => immediateProvider.clearImmediate(handle)
}

/** RxJS's own immediates, for a delegate that is active while time is real. */
export const realImmediate: ImmediateDelegate = {
  setImmediate: (handler) => Immediate.setImmediate(handler),
  clearImmediate: (handle) => Immediate.clearImmediate(handle as number),
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
