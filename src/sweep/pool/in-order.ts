import { Observable } from 'rxjs'

/** Emits the values by their indices from 0, each as soon as it and all before it have arrived. */
export const inOrder =
  <A extends { readonly index: number }>() =>
  (source$: Observable<A>): Observable<A> =>
    new Observable((subscriber) => {
      const waiting = new Map<number, A>()
      let next = 0
      return source$.subscribe({
        next: (value) => {
          waiting.set(value.index, value)
          for (let due = waiting.get(next); due !== undefined; due = waiting.get(next)) {
            waiting.delete(next++)
            subscriber.next(due)
          }
        },
        error: (thrown) => subscriber.error(thrown),
        complete: () => subscriber.complete(),
      })
    })
