import { left, type Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { defer, EMPTY, of, Subject, Subscription, takeUntil, type Observable } from 'rxjs'
import { clientClosed } from '../errors/constructors.js'
import type { ClientClosed } from '../errors/model.js'

/** How long a client lives: what streams and tasks do when it ends, and after. */
export class Lifetime {
  private readonly ended$ = new Subject<void>()
  /** What is to be done at the end of each task that runs. */
  private readonly tasks = new Set<() => void>()
  private over = false

  /** The stream until the end, which completes it; after the end it is `ClientClosed`, then completion. */
  whileOpen$<E, A>(source$: Observable<Either<E, A>>): Observable<Either<E | ClientClosed, A>> {
    return defer(() => (this.over ? of(left(clientClosed)) : this.until$(source$)))
  }

  /** The stream until the end, which completes it; after the end there is nothing in it. */
  until$<A>(source$: Observable<A>): Observable<A> {
    return defer(() => (this.over ? EMPTY : source$.pipe(takeUntil(this.ended$))))
  }

  /** The stream's first value as a task; one that the end overtakes yields `ClientClosed`. */
  once<E, A>(source$: Observable<Either<E, A>>): TaskEither<E | ClientClosed, A> {
    return () =>
      new Promise((resolve, reject) => {
        const asking = new Subscription()
        const settle = (value: Either<E | ClientClosed, A>): void => {
          this.tasks.delete(closed)
          asking.unsubscribe()
          resolve(value)
        }
        const closed = (): void => settle(left(clientClosed))
        if (this.over) return closed()
        this.tasks.add(closed)
        asking.add(source$.subscribe({ next: settle, complete: closed, error: reject }))
      })
  }

  end(): void {
    this.over = true
    this.ended$.next()
    this.ended$.complete()
    for (const closed of [...this.tasks]) closed()
  }
}
