import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { defer, EMPTY, endWith, mergeMap, takeWhile, timer } from 'rxjs'
import { checkTimerMs } from './check-ms.js'
import type { EitherOperator } from './either/either-operator.js'

/** The result of one window. */
export interface Conflated<A> {
  /** The latest value of the window. */
  readonly value: A
  /** Number of earlier values of the window, which are not emitted. */
  readonly dropped: number
}

/**
 * Emits at most one value every `ms` milliseconds, the latest, with the number of values dropped before it. For
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
 * - When the source completes, the pending value is emitted immediately. An Rx error drops it.
 *
 * @param ms length of a window, in ms: 0 to 2147483647. Any other value throws a `ConfigurationError`.
 *
 * @example
 * client.price$(topic).pipe(conflate(250)) // Observable<Either<PriceError, Conflated<Price>>>
 */
export const conflate = <E, A>(ms: number): EitherOperator<E, A, Either<E, Conflated<A>>> => {
  checkTimerMs('conflate', ms)
  return (source$) =>
    defer(() => {
      const window = createWindow<A>()
      const closeLater$ = timer(ms).pipe(mergeMap(window.close))
      return source$.pipe(
        // Completion becomes an event, so that it closes the window.
        endWith(undefined),
        mergeMap((event) => {
          if (event === undefined) return [...window.close(), undefined]
          if (isLeft(event)) {
            window.discard()
            return [event]
          }
          return window.add(event.right) ? closeLater$ : EMPTY
        }),
        takeWhile((out) => out !== undefined),
      )
    })
}

const createWindow = <A>() => {
  let count = 0
  let pending: { readonly value: A } | undefined

  /** True if the value opens a window. */
  const add = (value: A): boolean => {
    count += 1
    pending = { value }
    return count === 1
  }

  const discard = (): void => {
    pending = undefined
  }

  const close = (): readonly Either<never, Conflated<A>>[] => {
    const events = pending === undefined ? [] : [right({ value: pending.value, dropped: count - 1 })]
    count = 0
    pending = undefined
    return events
  }

  return { add, discard, close }
}
