import { isLeft, right, type Either, type Right } from 'fp-ts/lib/Either.js'
import { Observable } from 'rxjs'
import { timerMsFrom } from '../base/option-kinds/number-option.js'
import { checkValue, shown } from '../base/option-kinds/parse-options.js'
import { whileOpen, type EitherOperator } from './either.js'
import { responsiveDelay } from './responsive-delay.js'

/** The result of one window. */
export interface Conflated<A> {
  /** The latest value of the window. */
  readonly value: A
  /** Number of earlier values of the window, which are not emitted. */
  readonly dropped: number
}

/**
 * Emits the latest value at most once every `ms` milliseconds, with the number of values dropped before it. For
 * consumers that are slower than the source. Buffers one value and uses one timer.
 *
 * ```
 * source       -a-b-c------d--|              -a-L-b------a-L-------|     L: Left
 * conflate(6)  -------x-------(y|)           ---L---z------L-------|
 *              x: c, 2 dropped; y: d, none   z: b, 1 dropped
 * ```
 *
 * - A value opens a window, which closes `ms` later. The next value opens the next window.
 * - A `Left` is emitted immediately and drops the pending value, which is no longer current. The window stays open, so
 *   that occasional errors do not delay later values. A window without a value after its last `Left` emits nothing.
 * - After a blocked event loop, the window closes up to a second later: the source may first emit a newer event.
 * - When the source completes, the pending value is emitted immediately. An Rx error drops the pending value.
 *
 * @param ms length of a window, in ms: 0 to 2147483647. Any other value throws a `ConfigurationError`.
 *
 * @example
 * client.price$(topic).pipe(conflate(250)) // Observable<Either<PriceError, Conflated<Price>>>
 */
export const conflate = <E, A>(ms: number): EitherOperator<E, A, Either<E, Conflated<A>>> => {
  checkValue('ms', ms, timerMsFrom(0), shown)
  return (source$) =>
    new Observable((subscriber) => {
      /** Number of values of the open window; 0 if no window is open. */
      let count = 0
      /** The last value of the window, unless a `Left` has dropped it. */
      let pending: Right<A> | undefined
      const close = (): void => {
        const [last, dropped] = [pending, count - 1]
        pending = undefined
        count = 0
        if (last !== undefined) subscriber.next(right({ value: last.right, dropped }))
      }
      return source$.pipe(whileOpen(subscriber)).subscribe({
        next: (event) => {
          pending = isLeft(event) ? undefined : event
          if (isLeft(event)) return subscriber.next(event)
          count += 1
          if (count === 1) subscriber.add(responsiveDelay(ms, close))
        },
        error: (thrown) => subscriber.error(thrown),
        complete: () => {
          close()
          subscriber.complete()
        },
      })
    })
}
