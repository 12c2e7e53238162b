import type { Observable } from 'rxjs'
import type { Ask } from '../../src/task/cancellable-task.js'

/** A question that is answered by the first value of a stream. */
export const askOf =
  <A>(source$: Observable<A>): Ask<A> =>
  (answered) => {
    const asking = source$.subscribe(answered)
    return () => asking.unsubscribe()
  }
