import { left, map as mapRight } from 'fp-ts/lib/Either.js'
import {
  catchError,
  distinctUntilChanged,
  EMPTY,
  exhaustMap,
  filter,
  map,
  merge,
  mergeMap,
  of,
  repeat,
  skip,
  switchMap,
  tap,
  timer,
  type Observable,
} from 'rxjs'
import type { PriceClient } from '../../../client/client.js'
import type { Address } from '../../../base/domain/address.js'
import type { Depth, DepthSide } from '../../../base/domain/depth.js'
import type { Topic } from '../../../base/domain/topic.js'
import { networkError } from '../../../base/errors/constructors.js'
import type { DepthRow } from '../../../backtest/recording/format/row.js'
import { priceRow$, statusRow$, uncorrelatedRow$ } from '../../../backtest/recording/record/client-rows.js'
import { rxClock } from '../../../base/time/rx-clock.js'
import type { Health } from '../../display/connection.js'
import type { DisplayEvent, HealthRow } from '../../display/display.js'
import type { PageConfig, ServedDepths } from './served.js'

/** Time between two requests for the server's health, in ms. */
const healthInterval = 2000

/** Longest time between two requests for the depths, in ms. */
const maxDepthInterval = 1000

/** Time after which a rejected token is requested again, in ms: the service may list it in the meantime. */
const rejectedRetryDelay = 30_000

/** All events of the page. `health$`, `depths$`: one request to the server each. */
export const pageEvent$ = (
  client: PriceClient,
  { service, tokens, depthInterval }: PageConfig,
  health$: Observable<Health>,
  depths$: Observable<ServedDepths>,
): Observable<DisplayEvent> => {
  const topicOf = ({ address }: PageConfig['tokens'][number]): Topic => `${service}-${address}`
  const prices = tokens.map((token) =>
    priceRow$(client, topicOf(token)).pipe(repeat({ delay: () => retry$(client) })),
  )
  return merge(
    statusRow$(client),
    uncorrelatedRow$(client),
    healthRow$(client, health$),
    depthInterval === null ? EMPTY : depthRow$(tokens, depthInterval, depths$),
    ...prices,
  )
}

/** The depths, each once. While the server does not answer, no token has one. */
const depthRow$ = (
  tokens: PageConfig['tokens'],
  interval: number,
  depths$: Observable<ServedDepths>,
): Observable<DepthRow> => {
  const times = new Map<Address, number>()
  const failed = (thrown: unknown): ServedDepths => ({
    depths: tokens.map(({ address }) => ({
      ...{ _tag: 'Depth', at: rxClock.wallClock(), mint: address, event: left(networkError(thrown)) },
    })),
  })
  return timer(0, Math.min(interval, maxDepthInterval)).pipe(
    exhaustMap(() => depths$.pipe(catchError((thrown: unknown) => of(failed(thrown))))),
    mergeMap(({ depths }) => depths),
    filter(({ mint, at }) => times.get(mint) !== at),
    tap(({ mint, at }) => times.set(mint, at)),
    map(withQuantities),
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
const retry$ = ({ status$ }: PriceClient): Observable<unknown> =>
  merge(
    timer(rejectedRetryDelay),
    status$.pipe(
      map(({ _tag }) => _tag),
      distinctUntilChanged(),
      skip(1),
      filter((tag) => tag === 'Open'),
    ),
  )

/** Requests the health at once when the WebSocket opens or closes, then at an interval. */
const healthRow$ = ({ status$ }: PriceClient, health$: Observable<Health>): Observable<HealthRow> =>
  status$.pipe(
    map(({ _tag }) => _tag === 'Open'),
    distinctUntilChanged(),
    switchMap(() => timer(0, healthInterval).pipe(exhaustMap(() => health$))),
    map((health) => ({ _tag: 'Health', at: rxClock.wallClock(), health })),
  )
