import type { Observable } from 'rxjs'
import type { CancellableTask } from '../../src/base/task/cancellable-task.js'

/** A task whose result is the first value of a stream. */
export const cancellableTaskOf =
  <A>(source$: Observable<A>): CancellableTask<A> =>
  (onResult) => {
    const subscription = source$.subscribe(onResult)
    return () => subscription.unsubscribe()
  }
