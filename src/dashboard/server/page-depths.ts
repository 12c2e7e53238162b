import { isLeft, left } from 'fp-ts/lib/Either.js'
import {
  defer,
  distinctUntilChanged,
  endWith,
  map,
  merge,
  of,
  ReplaySubject,
  share,
  startWith,
  takeUntil,
  timer,
  type Observable,
} from 'rxjs'
import type { Client } from '../../client/client.js'
import type { Address } from '../../base/domain/address.js'
import { clientClosed } from '../../base/errors/constructors.js'
import { systemClock } from '../../base/time/system-clock.js'
import type { DepthRow } from '../../backtest/recording/codec/row.js'
import type { PageConfig } from '../../view/served.js'

/** Time without a request of a page after which depth is no longer requested of the service, in ms. */
const lease = 30_000

/** After the end of a stream, its last depth is not current. */
const closed = left(clientClosed)

/**
 * The last depth of each token: first none, then all at each change. They are requested of the service while pages ask for all
 * of them, because a request of a page for each token would cost more than all its prices. `client`: one with depth, unless the
 * interval of the configuration is `null`.
 */
export const pageDepths$ = (
  client: Client,
  { tokens, depthInterval }: Pick<PageConfig, 'tokens' | 'depthInterval'>,
  closed$: Observable<unknown>,
): Observable<readonly DepthRow[]> => {
  if (depthInterval === null) return of([])
  // That of a page. The clock of a recording is another one.
  const clock = systemClock()
  const depth$ = tokens.map(({ address: mint }) =>
    client.depth$(mint, depthInterval).pipe(
      endWith(closed),
      // The rejection that ends a stream is its better reason.
      distinctUntilChanged((before, event) => event === closed && isLeft(before)),
      map((event): DepthRow => ({ _tag: 'Depth', at: clock.wallClock(), mint, event })),
    ),
  )
  const rows$ = defer(() => {
    const rows = new Map<Address, DepthRow>()
    return merge(...depth$).pipe(
      map((row) => rows.set(row.mint, row)),
      startWith(rows),
      takeUntil(closed$),
    )
  })
  return rows$.pipe(
    share({
      connector: () => new ReplaySubject(1),
      resetOnComplete: false,
      resetOnRefCountZero: () => timer(lease + depthInterval),
    }),
    map((rows) => [...rows.values()]),
  )
}
