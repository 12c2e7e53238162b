import { isRight } from 'fp-ts/lib/Either.js'
import { filter, map } from 'rxjs'
import type { EitherOperator } from './either-operator.js'

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
export const rights = <E, A>(): EitherOperator<E, A, A> => {
  return (source$) =>
    source$.pipe(
      filter(isRight),
      map((value) => value.right),
    )
}
