import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { of, switchMap, type ObservableInput, type ObservedValueOf } from 'rxjs'
import type { EitherOperator } from './either-operator.js'
import type { ErrorOf, ValueOf } from './sides.js'

type Events = ObservableInput<Either<unknown, unknown>>
type ErrorFrom<O extends Events> = ErrorOf<ObservedValueOf<O>>
type ValueFrom<O extends Events> = ValueOf<ObservedValueOf<O>>

/**
 * Subscribes to the stream that `f` returns for each `Right`, and emits its events until the next event of the source.
 * A `Left` of the source ends the current inner stream, then passes through. A `Left` of the inner stream passes through
 * and ends nothing. Completes when the source and the last inner stream have completed. An exception from `f` and an Rx
 * error of an inner stream become Rx errors, as in RxJS's `switchMap`.
 *
 * ```
 * source             -a----b--L---c---|     L: Left
 * switchMapRight(f)  --1-2--1-L----1-2-3|   f(a), f(b), f(c): -1-2-3|
 * ```
 *
 * @example
 * import { timer, map } from 'rxjs'
 * // The depth, polled while the price is current. Each price takes over the poll of the one before: one request per second.
 * client.price$(topic).pipe(switchMapRight(() => client.depth$(mint, 1000)))
 */
export const switchMapRight =
  <E, A, O extends Events>(
    f: (value: A) => O,
  ): EitherOperator<E, A, Either<E | ErrorFrom<O>, ValueFrom<O>>> =>
  (source$) =>
    source$.pipe(
      switchMap((event): ObservableInput<Either<E | ErrorFrom<O>, ValueFrom<O>>> =>
        isLeft(event) ? of(event) : (f(event.right) as ObservableInput<Either<ErrorFrom<O>, ValueFrom<O>>>),
      ),
    )
