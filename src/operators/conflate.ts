import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { defer, EMPTY, endWith, mergeMap, takeWhile, timer, type OperatorFunction } from 'rxjs'
import { checkWait } from './checked-ms.js'

/** What is left of a window of values. */
export interface Conflated<A> {
  /** The last value of the window. */
  readonly value: A
  /** How many values of the same window were not passed on. */
  readonly dropped: number
}

/**
 * At most one value in `ms` milliseconds, for consumers that are slower than the source: the latest, and how many
 * were dropped for it. Holds one value and one timer, however fast the source.
 *
 * ```
 * source       -a-b-c------d--|              -a-L-b------a-L-------|     L: Left
 * conflate(6)  -------x-------(y|)           ---L---z------L-------|
 *              x: c, 2 dropped; y: d, none   z: b, 1 dropped
 * ```
 *
 * - A window begins with a value and ends `ms` later; then the next value begins one.
 * - A `Left` passes at once, and what waits is dropped: it is no longer current. The window goes on, so that an
 *   error now and then does not hold back the values that come after it. A window without a value after its last
 *   `Left` gives none.
 * - When the source completes, the value that waits is given at once, then completion. When it fails, it is not.
 *
 * @param ms the length of a window, in ms, from 0 to 2147483647. Anything else throws a `ConfigurationError`.
 *
 * @example
 * client.price$(topic).pipe(conflate(250)) // Observable<Either<PriceError, Conflated<Price>>>
 */
export const conflate = <E, A>(ms: number): OperatorFunction<Either<E, A>, Either<E, Conflated<A>>> => {
  checkWait('conflate', ms)
  return (source$) =>
    defer(() => {
      const window = createWindow<A>()
      const endLater$ = timer(ms).pipe(mergeMap(window.end))
      return source$.pipe(
        // The end is an event like any other, so that it ends the window too.
        endWith(undefined),
        mergeMap((event) => {
          if (event === undefined) return [...window.end(), undefined]
          if (isLeft(event)) {
            window.discard()
            return [event]
          }
          return window.put(event.right) ? endLater$ : EMPTY
        }),
        takeWhile((out) => out !== undefined),
      )
    })
}

const createWindow = <A>() => {
  let seen = 0
  let pending: { readonly value: A } | undefined

  /** Whether it is the first of its window. */
  const put = (value: A): boolean => {
    seen += 1
    pending = { value }
    return seen === 1
  }

  const discard = (): void => {
    pending = undefined
  }

  const end = (): readonly Either<never, Conflated<A>>[] => {
    const given = pending === undefined ? [] : [right({ value: pending.value, dropped: seen - 1 })]
    seen = 0
    pending = undefined
    return given
  }

  return { put, discard, end }
}
