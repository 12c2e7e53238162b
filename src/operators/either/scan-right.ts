import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { defer, map } from 'rxjs'
import type { EitherOperator } from './either-operator.js'

/**
 * Accumulates the values: emits `f(state, value)` for each `Right`, where `state` is the previous result, at first
 * `seed`. Passes each `Left` through unchanged and keeps the state. The seed is not emitted. Each subscriber has its own
 * state. An exception from `f` becomes an Rx error, as in RxJS's `scan`.
 *
 * ```
 * source                -a-L-b-|     L: Left
 * scanRight(f, seed)    -x-L-y-|     x: f(seed, a), y: f(x, b)
 * ```
 *
 * @example
 * client.price$(topic).pipe(scanRight((highest, { price }) => Math.max(highest, price), 0)) // Observable<Either<PriceError, number>>
 */
export const scanRight =
  <E, A, S>(f: (state: S, value: A) => S, seed: S): EitherOperator<E, A, Either<E, S>> =>
  (source$) =>
    defer(() => {
      let state = seed
      return source$.pipe(
        map((event) => {
          if (isLeft(event)) return event
          state = f(state, event.right)
          return right(state)
        }),
      )
    })
