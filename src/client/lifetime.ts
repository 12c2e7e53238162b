import { left, type Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { defer, EMPTY, of, takeUntil, type Observable } from 'rxjs'
import { clientClosed } from '../base/errors/constructors.js'
import type { ClientClosed } from '../base/errors/model.js'
import { noCancel, type Cancel, type CancellableTask } from '../base/task/cancellable-task.js'
import { Multicast } from '../base/task/multicast.js'

/** Ends the streams and tasks of a client when it is closed. */
export class Lifetime {
  private readonly closed$ = new Multicast<void>()
  /** The functions that cancel the running tasks. */
  private readonly running = new Set<() => void>()
  private isClosed = false

  /** The source until the client is closed. Afterwards `ClientClosed`, then completion. */
  whileOpen$<E, A>(source$: Observable<Either<E, A>>): Observable<Either<E | ClientClosed, A>> {
    return defer(() => (this.isClosed ? of(left(clientClosed)) : this.until$(source$)))
  }

  /** The source until the client is closed. Afterwards empty. */
  until$<A>(source$: Observable<A>): Observable<A> {
    return defer(() => (this.isClosed ? EMPTY : source$.pipe(takeUntil(this.closed$))))
  }

  /** The task as a `TaskEither`. Closing the client cancels it: the result is `ClientClosed`. */
  once<E, A>(task: CancellableTask<Either<E, A>>): TaskEither<E | ClientClosed, A> {
    return () =>
      new Promise((resolve) => {
        if (this.isClosed) return resolve(left(clientClosed))
        let cancel = noCancel
        const settle = (result: Either<E | ClientClosed, A>): void => {
          this.running.delete(end)
          resolve(result)
        }
        const end = (): void => {
          cancel()
          settle(left(clientClosed))
        }
        this.running.add(end)
        cancel = this.cancelIfClosed(task(settle))
      })
  }

  /** Starting a task may run the caller's code, which may close the client. */
  private cancelIfClosed(cancel: Cancel): Cancel {
    if (this.isClosed) cancel()
    return cancel
  }

  close(): void {
    this.isClosed = true
    this.closed$.next()
    this.closed$.complete()
    for (const end of this.running) end()
  }
}
