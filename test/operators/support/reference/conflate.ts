import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { defer, EMPTY, endWith, mergeMap, takeWhile, timer, type Observable } from 'rxjs'
import type { Conflated } from '../../../../src/operators/index.js'

type Out<E, A> = Either<E, Conflated<A>>

/** `conflate` as a chain of RxJS's operators. */
export const referenceConflate =
  <E, A>(ms: number) =>
  (source$: Observable<Either<E, A>>): Observable<Out<E, A>> =>
    defer(() => {
      let values: A[] = []
      let isCurrent = false
      const close = (): Out<E, A>[] => {
        const last = values.at(-1)!
        const closed = isCurrent ? [right({ value: last, dropped: values.length - 1 })] : []
        values = []
        isCurrent = false
        return closed
      }
      return source$.pipe(
        endWith(undefined),
        mergeMap((event): Observable<Out<E, A>> | (Out<E, A> | undefined)[] => {
          if (event === undefined) return [...close(), undefined]
          isCurrent = !isLeft(event)
          if (isLeft(event)) return [event]
          values.push(event.right)
          return values.length === 1 ? timer(ms).pipe(mergeMap(close)) : EMPTY
        }),
        takeWhile((out) => out !== undefined),
      )
    })
