import { throwError, type Subscriber } from 'rxjs'

/**
 * Tells a subscriber. Rx catches what its handlers and operators throw, but not what a `finalize` throws behind an
 * operator that has thrown: that hurts nobody else, and is reported as Rx reports a handler's throw.
 */
export const next = <A>(subscriber: Subscriber<A>, value: A): void => {
  try {
    subscriber.next(value)
  } catch (thrown) {
    throwError(() => thrown).subscribe()
  }
}
