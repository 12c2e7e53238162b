import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { filter, map, type OperatorFunction } from 'rxjs'

/**
 * Emits the error of each `Left` and drops the values. Passes Rx errors and completion through.
 *
 * ```
 * source  -a-L-b-|     L: Left(e)
 * lefts   ---e---|
 * ```
 *
 * @example
 * client.price$(topic).pipe(lefts()).subscribe((error) => log(renderError(error)))
 */
export const lefts = <E, A>(): OperatorFunction<Either<E, A>, E> => {
  return (source$) =>
    source$.pipe(
      filter(isLeft),
      map((value) => value.left),
    )
}
