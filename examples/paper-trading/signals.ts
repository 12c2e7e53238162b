import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { distinctUntilChanged, filter, map, scan, type Observable } from 'rxjs'
import type { Side } from './order.js'

export interface Reversion {
  /** Number of values in the average. */
  readonly window: number
  /** Distance from the average that is a signal, in basis points. */
  readonly entryBps: number
}

interface State {
  readonly values: readonly number[]
  readonly side: Side | undefined
}

const start: State = { values: [], side: undefined }

/**
 * Mean reversion: `buy` when a value falls far below the average of the values before it, `sell` when it rises far above.
 * Emits when the side changes. After a `Left` values may be missing: the average starts again.
 */
export const reversions$ = (
  values$: Observable<Either<unknown, number>>,
  reversion: Reversion,
): Observable<Side> =>
  values$.pipe(
    scan(follow(reversion), start),
    map(({ side }) => side),
    filter((side) => side !== undefined),
    distinctUntilChanged(),
  )

const follow =
  ({ window, entryBps }: Reversion) =>
  ({ values, side }: State, event: Either<unknown, number>): State => {
    if (isLeft(event)) return { values: [], side }
    const next = [...values, event.right].slice(-window)
    if (values.length < window) return { values: next, side }
    const average = values.reduce((sum, value) => sum + value, 0) / window
    const distance = (event.right / average - 1) * 10_000
    if (Math.abs(distance) < entryBps) return { values: next, side }
    return { values: next, side: distance < 0 ? 'buy' : 'sell' }
  }
