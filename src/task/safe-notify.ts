import { Observable, throwError, type Subscriber } from 'rxjs'

// Rx catches what handlers and operators throw, but not what a teardown does: not at completion, and not behind an
// operator that has thrown. That hurts nobody else either, and is reported as Rx reports a handler's throw.

const report = (thrown: unknown): void => {
  throwError(() => thrown).subscribe()
}

/** Tells a subscriber. */
export const next = <A>(subscriber: Subscriber<A>, value: A): void => {
  try {
    subscriber.next(value)
  } catch (thrown) {
    report(thrown)
  }
}

/** Completes a subscriber. */
export const complete = (subscriber: Subscriber<never>): void => {
  try {
    subscriber.complete()
  } catch (thrown) {
    report(thrown)
  }
}

/** The source, whose completion reaches everybody, whatever the teardown of one may throw. */
export const completing$ = <A>(source$: Observable<A>): Observable<A> =>
  new Observable((subscriber) =>
    source$.subscribe({ next: (value) => subscriber.next(value), complete: () => complete(subscriber) }),
  )
