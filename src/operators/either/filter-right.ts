import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { filter, type MonoTypeOperatorFunction } from 'rxjs'
import type { EitherOperator } from './either-operator.js'
import type { ValueOf } from './sides.js'

/**
 * Emits each `Right` whose value passes the predicate, and each `Left` unchanged. A type guard as the predicate narrows
 * the type of the values. An exception from the predicate becomes an Rx error, as in RxJS's `filter`.
 *
 * ```
 * source          -a-L-b-c-|     L: Left
 * filterRight(p)  -a-L---c-|     p(a) and p(c) are true, p(b) is false
 * ```
 *
 * @example
 * client.price$(topic).pipe(filterRight(({ price }) => price > 2000)) // Observable<Either<PriceError, Price>>
 */
export function filterRight<E, A, B extends A>(
  predicate: (value: A) => value is B,
): EitherOperator<E, A, Either<E, B>>
export function filterRight<Event extends Either<unknown, A>, A = ValueOf<Event>>(
  predicate: (value: A) => boolean,
): MonoTypeOperatorFunction<Event>
export function filterRight<Event extends Either<unknown, A>, A>(
  predicate: (value: A) => boolean,
): MonoTypeOperatorFunction<Event> {
  return (source$) => source$.pipe(filter((event) => isLeft(event) || predicate(event.right)))
}
