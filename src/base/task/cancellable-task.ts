import { Observable } from 'rxjs'

/**
 * A cancellable request with one result: calling it starts the request, and `onResult` is called at most once, perhaps
 * synchronously. Returns the cancel function. Like an Observable of one value, at a fraction of its cost.
 */
export type CancellableTask<A> = (onResult: (result: A) => void) => Cancel

/** After cancellation there is no result; after the result, cancelling has no effect. */
export type Cancel = () => void

export const noCancel: Cancel = () => undefined

export const completedTask =
  <A>(result: A): CancellableTask<A> =>
  (onResult) => {
    onResult(result)
    return noCancel
  }

/** Runs the task on each subscription: one value, then completion. Unsubscribing cancels it. */
export const fromTask$ = <A>(task: CancellableTask<A>): Observable<A> =>
  new Observable((subscriber) =>
    task((result) => {
      subscriber.next(result)
      subscriber.complete()
    }),
  )
