import { isRight, type Either } from 'fp-ts/lib/Either.js'
import { filter, map, type OperatorFunction } from 'rxjs'

/**
 * Emits the value of each `Right` and drops every `Left`. Passes Rx errors and completion through. Use it for display
 * and for statistics, not for trading: its subscribers cannot detect that a value is no longer current.
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
