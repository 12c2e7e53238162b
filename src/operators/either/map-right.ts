import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { map } from 'rxjs'
import type { EitherOperator } from './either-operator.js'

/**
 * Maps the value of each `Right` with `f` and passes each `Left` through unchanged. An exception from `f` becomes an Rx
 * error, as in RxJS's `map`.
 *
 * ```
 * source       -a-L-b-|     L: Left
 * mapRight(f)  -x-L-y-|     x: f(a), y: f(b)
 * ```
 *
 * @example
 * client.price$(topic).pipe(mapRight((price) => price.price)) // Observable<Either<PriceError, number>>
 */
export const mapRight =
  <E, A, B>(f: (value: A) => B): EitherOperator<E, A, Either<E, B>> =>
  (source$) =>
    source$.pipe(map((value) => (isLeft(value) ? value : right(f(value.right)))))
