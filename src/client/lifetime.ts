import { left, type Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { defer, EMPTY, of, Subject, takeUntil, type Observable } from 'rxjs'
import { clientClosed } from '../errors/constructors.js'
import type { ClientClosed } from '../errors/model.js'
import { noCancel, type CancellableTask, type Cancel } from '../task/cancellable-task.js'
import { FreeList } from '../task/free-list.js'

/** How long a client lives: what streams and tasks do when it ends, and after. */
export class Lifetime {
  private readonly ended$ = new Subject<void>()
  /** What is to be done at the end of each task that runs. */
  private readonly tasks = new FreeList<() => void>()
  private over = false

  /** The stream until the end, which completes it; after the end it is `ClientClosed`, then completion. */
  whileOpen$<E, A>(source$: Observable<Either<E, A>>): Observable<Either<E | ClientClosed, A>> {
    return defer(() => (this.over ? of(left(clientClosed)) : this.until$(source$)))
  }

  /** The stream until the end, which completes it; after the end there is nothing in it. */
  until$<A>(source$: Observable<A>): Observable<A> {
    return defer(() => (this.over ? EMPTY : source$.pipe(takeUntil(this.ended$))))
  }

  /** The question as a task; if the end overtakes it, the answer is `ClientClosed`. */
  once<E, A>(ask: CancellableTask<Either<E, A>>): TaskEither<E | ClientClosed, A> {
    return () =>
      new Promise((resolve) => {
        if (this.over) return resolve(left(clientClosed))
        let takeBack = noCancel
        const settle = (answer: Either<E | ClientClosed, A>): void => {
          this.tasks.remove(slot)
          resolve(answer)
        }
        const closed = (): void => {
          takeBack()
          settle(left(clientClosed))
        }
        const slot = this.tasks.add(closed)
        takeBack = this.keptUntilOver(ask(settle))
      })
  }

  /** What runs while something is asked, the caller's own code for one, may have ended it all. */
  private keptUntilOver(takeBack: Cancel): Cancel {
    if (this.over) takeBack()
    return takeBack
  }

  end(): void {
    this.over = true
    this.ended$.next()
    this.ended$.complete()
    for (const closed of this.tasks.items()) closed()
  }
}
