import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { tap, type MonoTypeOperatorFunction } from 'rxjs'

/**
 * Calls `f` with each error and passes everything on as it is, the `Left` after the call. What `f` throws goes
 * down the Rx error channel, as with `tap`.
 *
 * ```
 * source      -a-L-b-|     L: Left(e)
 * tapLeft(f)  -a-L-b-|     f(e) is called at L
 * ```
 *
 * @example
 * client.price$(topic).pipe(tapLeft((error) => log(renderError(error))), rights())
 */
export const tapLeft =
  <E, A>(f: (error: E) => void): MonoTypeOperatorFunction<Either<E, A>> =>
  (source$) =>
    source$.pipe(
      tap((value) => {
        if (isLeft(value)) f(value.left)
      }),
    )
