import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { mergeMap, of, throwError, type OperatorFunction } from 'rxjs'

/**
 * The values, out of their `Right`; the first `Left` ends the stream as an Rx error, for those who want `retry`,
 * `catchError` or a promise that rejects. What is thrown is the error itself, unchanged.
 *
 * ```
 * source   -a-L-b-|     L: Left(e)
 * orThrow  -a-#         #: e
 * ```
 *
 * Whatever asks again needs a wait: who joins while the connection is down is given its `Left` at once, and a client
 * that was closed says so each time.
 *
 * @example
 * import { retry } from 'rxjs'
 * client.price$(topic).pipe(orThrow(), retry({ delay: 1000 })) // Observable<Price>
 */
export const orThrow = <E, A>(): OperatorFunction<Either<E, A>, A> => {
  return (source$) =>
    source$.pipe(mergeMap((value) => (isLeft(value) ? throwError(() => value.left) : of(value.right))))
}
