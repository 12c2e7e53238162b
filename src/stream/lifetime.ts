import { left, type Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { defaultIfEmpty, defer, EMPTY, firstValueFrom, of, Subject, takeUntil, type Observable } from 'rxjs'
import { clientClosed } from '../errors/constructors.js'
import type { ClientClosed } from '../errors/model.js'

/** How long a client lives: what streams and tasks do when it ends, and after. */
export class Lifetime {
  private readonly ended$ = new Subject<void>()
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
    return () => firstValueFrom(this.whileOpen$(source$).pipe(defaultIfEmpty(left(clientClosed))))
  }

  end(): void {
    this.over = true
    this.ended$.next()
    this.ended$.complete()
  }
}
