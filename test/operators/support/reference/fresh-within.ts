import { isLeft, left, type Either } from 'fp-ts/lib/Either.js'
import { concat, EMPTY, endWith, map, of, switchMap, timer, type Observable } from 'rxjs'

/** `freshWithin` as a chain of RxJS's operators: each value starts a timer. A `Stale` is only its value. */
export const referenceFreshWithin =
  <E, A>(ms: number) =>
  (source$: Observable<Either<E, A>>): Observable<Either<E | A, A>> =>
    source$.pipe(
      endWith(undefined),
      switchMap((event): Observable<Either<E | A, A>> => {
        if (event === undefined) return EMPTY
        if (isLeft(event)) return of(event)
        return concat(of(event), timer(ms).pipe(map(() => left(event.right))))
      }),
    )
