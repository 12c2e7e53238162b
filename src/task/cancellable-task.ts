import { Observable } from 'rxjs'

/**
 * A question that is asked when it is called, and has one answer: `answered` is called once with it, perhaps at once.
 * Returns how it is taken back: after that there is no answer, and after the answer it has no effect. It is what an
 * Observable of one value is, at a fraction of the cost: a request goes through several.
 */
export type CancellableTask<A> = (answered: (answer: A) => void) => Cancel

export type Cancel = () => void

export const noCancel: Cancel = () => undefined

/** A question whose answer is known already. */
export const completedTask =
  <A>(answer: A): CancellableTask<A> =>
  (answered) => {
    answered(answer)
    return noCancel
  }

/** Asks on each subscription: one value, then completion. Unsubscribing takes the question back. */
export const fromTask$ = <A>(ask: CancellableTask<A>): Observable<A> =>
  new Observable((subscriber) =>
    ask((answer) => {
      subscriber.next(answer)
      subscriber.complete()
    }),
  )
