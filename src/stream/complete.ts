import { Observable, throwError, type Subscriber } from 'rxjs'

/** Completes a subscriber. What its teardown throws hurts nobody else: Rx reports it, as it does a handler's throw. */
export const complete = (subscriber: Subscriber<never>): void => {
  try {
    subscriber.complete()
  } catch (thrown) {
    throwError(() => thrown).subscribe()
  }
}

/** The source, whose completion reaches everybody, whatever the teardown of one may throw. */
export const completing$ = <A>(source$: Observable<A>): Observable<A> =>
  new Observable((subscriber) =>
    source$.subscribe({ next: (value) => subscriber.next(value), complete: () => complete(subscriber) }),
  )
