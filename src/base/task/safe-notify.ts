import { Observable, type Subscriber, type Unsubscribable } from 'rxjs'

// RxJS catches the exceptions of handlers and operators. It does not catch those of a teardown that runs on completion
// or after an operator has thrown. These functions catch them. They are reported like errors of handlers.

/** Reports an exception asynchronously, as RxJS does. */
export const reportError = (thrown: unknown): void => {
  new Observable((subscriber) => subscriber.error(thrown)).subscribe()
}

/** Emits a value to one subscriber, or to the observer that it calls. */
export const safeNext = <A>(subscriber: Pick<Subscriber<A>, 'next'>, value: A): void => {
  try {
    subscriber.next(value)
  } catch (thrown) {
    reportError(thrown)
  }
}

const safely = (work: () => void): void => {
  try {
    work()
  } catch (thrown) {
    reportError(thrown)
  }
}

export const safeComplete = (subscriber: Subscriber<never>): void => safely(() => subscriber.complete())

export const safeUnsubscribe = (subscription: Unsubscribable | undefined): void =>
  safely(() => subscription?.unsubscribe())

/** The source, with a completion that reaches every subscriber, even if the teardown of one throws. */
export const withSafeComplete$ = <A>(source$: Observable<A>): Observable<A> =>
  new Observable((subscriber) =>
    source$.subscribe({ next: (value) => subscriber.next(value), complete: () => safeComplete(subscriber) }),
  )
