import { left, type Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { defer, Observable, of, Subject } from 'rxjs'
import { clientClosed } from '../base/errors/constructors.js'
import type { ClientClosed } from '../base/errors/model.js'
import { noCancel, type CancellableTask } from '../base/task/cancellable-task.js'

const closed = left(clientClosed)

/** Ends the streams and tasks of a client when it is closed. */
export class Lifetime {
  private readonly closed$ = new Subject<void>()
  private isClosed = false

  /** The source until the client is closed. Afterwards `ClientClosed`, then completion. */
  whileOpen$<E, A>(source$: Observable<Either<E, A>>): Observable<Either<E | ClientClosed, A>> {
    return defer(() => (this.isClosed ? of(closed) : this.until$(source$)))
  }

  /** The source until the client is closed. Afterwards empty. */
  until$<A>(source$: Observable<A>): Observable<A> {
    return new Observable((subscriber) => {
      if (this.isClosed) return subscriber.complete()
      // Not `takeUntil`, which does not report an exception in a teardown.
      subscriber.add(this.closed$.subscribe(() => subscriber.complete()))
      source$.subscribe(subscriber)
    })
  }

  /** The task as a `TaskEither`. Closing the client cancels it: the result is `ClientClosed`. */
  once<E, A>(task: CancellableTask<Either<E, A>>): TaskEither<E | ClientClosed, A> {
    return () =>
      new Promise((resolve) => {
        if (this.isClosed) return resolve(closed)
        let cancel = noCancel
        const ending = this.closed$.subscribe(() => {
          cancel()
          resolve(closed)
        })
        cancel = task((result) => {
          ending.unsubscribe()
          resolve(result)
        })
        // Starting a task may run the caller's code, which may close the client.
        if (ending.closed) cancel()
      })
  }

  close(): void {
    this.isClosed = true
    this.closed$.next()
    this.closed$.complete()
  }
}
