import { left, map as mapRight } from 'fp-ts/lib/Either.js'
import {
  catchError,
  distinctUntilChanged,
  exhaustMap,
  filter,
  map,
  merge,
  mergeMap,
  of,
  repeat,
  skip,
  switchMap,
  timer,
  type Observable,
} from 'rxjs'
import type { PriceClient } from '../client/client.js'
import type { Address } from '../base/domain/address.js'
import type { Depth, DepthSide } from '../base/domain/depth.js'
import { networkError } from '../base/errors/constructors.js'
import type { DepthRow } from '../backtest/recording/codec/row.js'
import { priceRow$, statusRow$, uncorrelatedRow$ } from '../backtest/recording/write/client-rows.js'
import { rxClock } from '../base/time/rx-clock.js'
import type { DisplayEvent, HealthRow } from './display.js'
import type { PageConfig, ServedStatus } from './served.js'

/** Longest time between two requests for the server's status, in ms. */
const maxInterval = 1000

/** Time after which a rejected token is requested again, in ms: the service may list it in the meantime. */
const rejectedRetryDelay = 30_000

/** All events of the page. `served$`: one request for the status of the server. */
export const pageEvent$ = (
  client: PriceClient,
  config: PageConfig,
  served$: Observable<ServedStatus>,
): Observable<DisplayEvent> => {
  const prices = config.tokens.map(({ address }) =>
    priceRow$(client, `${config.service}-${address}`).pipe(repeat({ delay: () => retry$(client) })),
  )
  return merge(statusRow$(client), uncorrelatedRow$(client), servedRow$(client, config, served$), ...prices)
}

/**
 * The health of the server, and each depth once. Requested at once when the WebSocket opens or closes, then at an interval.
 * While the server does not answer, no token has a depth.
 */
const servedRow$ = (
  client: PriceClient,
  { tokens, depthInterval }: PageConfig,
  served$: Observable<ServedStatus>,
): Observable<HealthRow | DepthRow> => {
  const gone = (thrown: unknown): ServedStatus => ({
    health: { _tag: 'Gone' },
    depths: (depthInterval === null ? [] : tokens).map(({ address }) => ({
      ...{ _tag: 'Depth', at: rxClock.wallClock(), mint: address, event: left(networkError(thrown)) },
    })),
  })
  const times = new Map<Address, number>()
  const isNew = ({ mint, at }: DepthRow): boolean => {
    const before = times.get(mint)
    times.set(mint, at)
    return before !== at
  }
  const answer$ = served$.pipe(catchError((thrown: unknown) => of(gone(thrown))))
  const interval = Math.min(depthInterval ?? maxInterval, maxInterval)
  return isOpen$(client).pipe(
    switchMap(() => timer(0, interval).pipe(exhaustMap(() => answer$))),
    mergeMap(({ health, depths }): readonly (HealthRow | DepthRow)[] => [
      { _tag: 'Health', at: rxClock.wallClock(), health },
      ...depths.filter(isNew).map(withQuantities),
    ]),
  )
}

/** The row with its quantities as `bigint`, which JSON has as text, received when the server received it. */
const withQuantities = (row: DepthRow): DepthRow => ({
  ...row,
  event: mapRight((depth: Depth) => {
    const quantityOf = (side: DepthSide): DepthSide => ({
      ...side,
      totalQuantity: BigInt(String(side.totalQuantity)),
    })
    return { ...depth, receivedAt: row.at, buy: quantityOf(depth.buy), sell: quantityOf(depth.sell) }
  })(row.event),
})

/** Emits when a rejected token is requested again: after a while, and when the connection is open again. */
const retry$ = (client: PriceClient): Observable<unknown> =>
  merge(timer(rejectedRetryDelay), isOpen$(client).pipe(skip(1), filter(Boolean)))

/** Whether the WebSocket is open. */
const isOpen$ = ({ status$ }: PriceClient): Observable<boolean> =>
  status$.pipe(
    map(({ _tag }) => _tag === 'Open'),
    distinctUntilChanged(),
  )
