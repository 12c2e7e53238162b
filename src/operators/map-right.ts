import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { map, type OperatorFunction } from 'rxjs'

/**
 * Each value through `f`; each `Left` as it is. What `f` throws goes down the Rx error channel, as with `map`.
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
  <E, A, B>(f: (value: A) => B): OperatorFunction<Either<E, A>, Either<E, B>> =>
  (source$) =>
    source$.pipe(map((value) => (isLeft(value) ? value : right(f(value.right)))))
