import type { Either } from 'fp-ts/lib/Either.js'
import type { Observable } from 'rxjs'

/**
 * An RxJS operator whose source emits `Either`s. `merge(price$, depth$)` emits a union of `Either`s: TypeScript infers
 * `E` and `A` of a union as unions for the parameter of a method, and as intersections for the parameter of a function
 * type such as `OperatorFunction`. Hence a method.
 */
export type EitherOperator<E, A, B> = {
  operator$(source$: Observable<Either<E, A>>): Observable<B>
}['operator$']
