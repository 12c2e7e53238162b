import { left, type Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { defaultIfEmpty, defer, firstValueFrom, Observable, of, Subject } from 'rxjs'
import { clientClosed } from '../base/errors/constructors.js'
import type { ClientClosed } from '../base/errors/model.js'
import { fromTask$, type CancellableTask } from '../base/task/cancellable-task.js'

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
    const result$ = this.until$<Either<E | ClientClosed, A>>(fromTask$(task)).pipe(defaultIfEmpty(closed))
    return () => firstValueFrom(result$)
  }

  close(): void {
    this.isClosed = true
    this.closed$.next()
  }
}
