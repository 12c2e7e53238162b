import type { Observable } from 'rxjs'
import type { CancellableTask } from '../../src/task/cancellable-task.js'

/** A question that is answered by the first value of a stream. */
export const askOf =
  <A>(source$: Observable<A>): CancellableTask<A> =>
  (answered) => {
    const asking = source$.subscribe(answered)
    return () => asking.unsubscribe()
  }
