import { left, type Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { EMPTY, of, Subject, type Observable } from 'rxjs'
import { clientClosed } from '../base/errors/constructors.js'
import type { ClientClosed } from '../base/errors/model.js'
import { noCancel, type CancellableTask } from '../base/task/cancellable-task.js'
import { EventStream, type Stream } from '../base/time/stream.js'

const closed = left(clientClosed)

/** Ends the streams and tasks of a client when it is closed. */
export class Lifetime {
  private readonly closed$ = new Subject<void>()
  private isClosed = false

  /** The source until the client is closed. Afterwards `ClientClosed`, then completion. */
  whileOpen$<E, A>(source$: Observable<Either<E, A>>): Stream<Either<E | ClientClosed, A>> {
    return this.until$<Either<E | ClientClosed, A>>(source$, of(closed))
  }

  /** The source until the client is closed. Afterwards another one. */
  until$<A>(source$: Observable<A>, afterwards$: Observable<A> = EMPTY): Stream<A> {
    return new EventStream((subscriber) => {
      // Not `takeUntil`, which does not report an exception in a teardown.
      if (!this.isClosed) subscriber.add(this.closed$.subscribe(() => subscriber.complete()))
      const current$ = this.isClosed ? afterwards$ : source$
      current$.subscribe(subscriber)
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
