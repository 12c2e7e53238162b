import { isLeft } from 'fp-ts/lib/Either.js'
import { mergeMap, of, throwError } from 'rxjs'
import type { EitherOperator } from './either-operator.js'

/**
 * Emits the value of each `Right`; the first `Left` ends the stream with its error as the Rx error, unchanged. Use it
 * with `retry`, `catchError`, or promises.
 *
 * ```
 * source   -a-L-b-|     L: Left(e)
 * orThrow  -a-#         #: e
 * ```
 *
 * A retry needs a delay. While the connection is down, `price$` emits the `Left` to each new subscriber immediately.
 * `depth$` sends no request before the wait after a failure ends, and emits the failure to each new subscriber in a later
 * event-loop turn. A closed client emits `ClientClosed` to every subscriber, so that such a retry never ends.
 *
 * @example
 * import { retry } from 'rxjs'
 * client.price$(topic).pipe(orThrow(), retry({ delay: 1000 })) // Observable<Price>
 */
export const orThrow = <E, A>(): EitherOperator<E, A, A> => {
  return (source$) =>
    source$.pipe(mergeMap((value) => (isLeft(value) ? throwError(() => value.left) : of(value.right))))
}
