import { isRight, type Either } from 'fp-ts/lib/Either.js'
import { filter, map, type OperatorFunction } from 'rxjs'

/**
 * The values alone; every `Left` is left out. Who uses it no longer learns that a value has stopped being
 * current: for display and counting, not for trading.
 *
 * ```
 * source  -a-L-b-|     L: Left
 * rights  -a---b-|
 * ```
 *
 * @example
 * client.price$(topic).pipe(rights()) // Observable<Price>
 */
export const rights = <E, A>(): OperatorFunction<Either<E, A>, A> => {
  return (source$) =>
    source$.pipe(
      filter(isRight),
      map((value) => value.right),
    )
}
