import { isLeft, left, type Either } from 'fp-ts/lib/Either.js'
import { concat, EMPTY, endWith, map, of, switchMap, type Observable, type OperatorFunction } from 'rxjs'
import { isPriceValue, type Price } from '../domain/price.js'
import { stale } from '../errors/constructors.js'
import type { Stale } from '../errors/model.js'
import { deadline$ } from '../time/deadline.js'
import { checkWait } from './checked-ms.js'

/**
 * A value that nothing follows within `ms` milliseconds is followed by one `Left<Stale>`, so that silence is seen.
 *
 * ```
 * source          -a--b-------------c-L------------|     L: Left
 * freshWithin(5)  -a--b----S--------c-L------------|     S: Left(Stale)
 * ```
 *
 * - Any next value, a `Left` included, ends the wait; a silence is told once, and only one that follows a value.
 * - When the source completes, or fails, nothing is waited for any more.
 * - `Stale` carries the value's `topic`, or `''` where it has none; `last` is the value if it is a `Price`.
 * - A blocked event loop is not silence: a deadline that is noticed late lets what has already arrived go first.
 *
 * @param ms the longest silence, in ms, from 0 to 2147483647. Anything else throws a `ConfigurationError`.
 *
 * @example
 * client.price$(topic).pipe(freshWithin(500)) // stricter than the client's own staleAfter
 */
export const freshWithin = <E, A>(ms: number): OperatorFunction<Either<E, A>, Either<E | Stale, A>> => {
  checkWait('freshWithin', ms)
  return (source$) =>
    source$.pipe(
      // The end is an event like any other, so that it ends the wait too.
      endWith(undefined),
      switchMap((event): Observable<Either<E | Stale, A>> => {
        if (event === undefined) return EMPTY
        if (isLeft(event)) return of(event)
        return concat(of(event), staleAfter$(ms, event.right))
      }),
    )
}

/** After a block, timers run before sockets are read: what is in their buffers came in time. */
const staleAfter$ = (ms: number, value: unknown): Observable<Either<Stale, never>> =>
  deadline$(ms).pipe(map(() => left(staleOf(value, ms))))

const staleOf = (value: unknown, ms: number): Stale => {
  if (isPrice(value)) return stale(value.topic, ms, value)
  const topic = hasTopic(value) ? value.topic : ''
  const message = `${topic === '' ? '' : `${topic}: `}nothing for ${ms} ms`
  return { ...stale(topic, ms, undefined), message }
}

const hasTopic = (value: unknown): value is { readonly topic: string } =>
  typeof value === 'object' && value !== null && 'topic' in value && typeof value.topic === 'string'

const isPrice = (value: unknown): value is Price => {
  if (!hasTopic(value)) return false
  const { price, receivedAt, epoch } = value as Partial<Price>
  return isPriceValue(price) && typeof receivedAt === 'number' && typeof epoch === 'number'
}
