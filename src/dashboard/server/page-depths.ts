import { isLeft, left } from 'fp-ts/lib/Either.js'
import {
  distinctUntilChanged,
  EMPTY,
  endWith,
  map,
  merge,
  ReplaySubject,
  share,
  timer,
  type Observable,
} from 'rxjs'
import type { Client } from '../../client/client.js'
import { clientClosed } from '../../base/errors/constructors.js'
import { systemClock } from '../../base/time/clock.js'
import type { DepthRow } from '../../backtest/recording/codec/row.js'
import type { PageConfig } from '../../view/served.js'

/** Time without a page after which depth is no longer requested of the service, in ms: a page may be loaded again. */
const lease = 5_000

/** After the end of a stream, its last depth is not current. */
const closed = left(clientClosed)

/**
 * The depths of all tokens, with the last one of each at first. They are requested of the service while there is a page, because
 * a request of a page for each token would cost more than all its prices. `client`: one with depth, unless the interval of the
 * configuration is `null`.
 */
export const pageDepth$ = (
  client: Client,
  { tokens, depthInterval }: Pick<PageConfig, 'tokens' | 'depthInterval'>,
): Observable<DepthRow> => {
  if (depthInterval === null) return EMPTY
  // That of a page. The clock of a recording is another one.
  const clock = systemClock()
  const rows = tokens.map(({ address: mint }) =>
    client.depth$(mint, depthInterval).pipe(
      endWith(closed),
      // The rejection that ends a stream is its better reason.
      distinctUntilChanged((before, event) => event === closed && isLeft(before)),
      map((event): DepthRow => ({ _tag: 'Depth', at: clock.wallClock(), mint, event })),
      share({
        connector: () => new ReplaySubject(1),
        resetOnComplete: false,
        resetOnRefCountZero: () => timer(lease),
      }),
    ),
  )
  return merge(...rows)
}
