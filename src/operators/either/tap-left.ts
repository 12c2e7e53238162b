import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { tap, type MonoTypeOperatorFunction } from 'rxjs'
import type { ErrorOf } from './sides.js'

/**
 * Calls `f` with the error of each `Left`, before the `Left` is emitted. Passes all events through unchanged. An
 * exception from `f` becomes an Rx error, as in RxJS's `tap`.
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
  <Event extends Either<E, unknown>, E = ErrorOf<Event>>(
    f: (error: E) => void,
  ): MonoTypeOperatorFunction<Event> =>
  (source$) =>
    source$.pipe(
      tap((event) => {
        if (isLeft(event)) f(event.left)
      }),
    )
