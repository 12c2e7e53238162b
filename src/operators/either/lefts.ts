import { isLeft } from 'fp-ts/lib/Either.js'
import { filter, map } from 'rxjs'
import type { EitherOperator } from './either-operator.js'

/**
 * Emits the error of each `Left` and drops the values. Passes Rx errors and completion through. The source may merge
 * streams with different errors.
 *
 * ```
 * source  -a-L-b-|     L: Left(e)
 * lefts   ---e---|
 * ```
 *
 * @example
 * import { merge } from 'rxjs'
 * const [price$, depth$] = [client.price$(topic), client.depth$(mint, 1000)]
 * merge(price$, depth$).pipe(lefts()).subscribe((error) => log(renderError(error)))
 */
export const lefts = <E, A>(): EitherOperator<E, A, E> => {
  return (source$) =>
    source$.pipe(
      filter(isLeft),
      map((value) => value.left),
    )
}
