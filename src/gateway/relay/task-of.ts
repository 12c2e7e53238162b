import { noCancel, type CancellableTask } from '../../task/cancellable-task.js'

/** The task of a promise that never rejects. Cancelling has no effect. */
export const taskOf =
  <A>(start: () => Promise<A>): CancellableTask<A> =>
  (onResult) => {
    void start().then(onResult)
    return noCancel
  }
