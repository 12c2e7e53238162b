import { left, map as mapRight } from 'fp-ts/lib/Either.js'
import {
  catchError,
  concat,
  concatWith,
  distinctUntilChanged,
  filter,
  map,
  merge,
  mergeMap,
  repeat,
  skip,
  throwError,
  timeout,
  timer,
  type Observable,
} from 'rxjs'
import type { PriceClient } from '../../client/client.js'
import type { Depth, DepthSide } from '../../base/domain/depth.js'
import { networkError } from '../../base/errors/constructors.js'
import type { DepthRow } from '../../backtest/recording/codec/row.js'
import { priceRow$, statusRow$, uncorrelatedRow$ } from '../../backtest/recording/write/client-rows.js'
import { rxClock } from '../../base/time/clock.js'
import { healthInterval, type PageConfig, type PageEvent, type ServedEvent } from '../../view/served.js'

/** Time after which a rejected token is requested again, in ms: the service may list it in the meantime. */
const rejectedRetryDelay = 30_000

/** Time without a report of the server after which it is gone, and time until the next connection to it, in ms. */
const [maxSilence, reconnectDelay] = [3 * healthInterval, 1000]

/** All events of the page. `served$`: the events of its server; connects to it when it is subscribed to. */
export const pageEvent$ = (
  client: PriceClient,
  config: PageConfig,
  served$: Observable<ServedEvent>,
): Observable<PageEvent> => {
  const prices = config.tokens.map(({ address }) =>
    priceRow$(client, `${config.service}-${address}`).pipe(repeat({ delay: () => retry$(client) })),
  )
  return merge(statusRow$(client), uncorrelatedRow$(client), servedEvent$(config, served$), ...prices)
}

/**
 * The events of the server, which is connected to again. It is gone after the delay: by then the WebSocket of the prices has closed
 * too. While it is gone, no token has a depth.
 */
const servedEvent$ = (
  { tokens, depthInterval }: PageConfig,
  served$: Observable<ServedEvent>,
): Observable<PageEvent> => {
  const gone = (thrown: unknown): readonly PageEvent[] => {
    const at = rxClock.wallClock()
    const event = left(networkError(thrown))
    const depths = (depthInterval === null ? [] : tokens).map(({ address }): DepthRow => ({
      _tag: 'Depth',
      at,
      mint: address,
      event,
    }))
    return [{ _tag: 'Health', at, health: { _tag: 'Gone' } }, ...depths]
  }
  return served$.pipe(
    concatWith(throwError(() => new Error('closed'))),
    timeout({ each: maxSilence }),
    map(pageEvent),
    catchError((thrown: unknown, again$) =>
      concat(timer(reconnectDelay).pipe(mergeMap(() => gone(thrown))), again$),
    ),
  )
}

/** The event with the time of the page, and its quantities as `bigint`. A depth is received when the server received it. */
const pageEvent = (event: ServedEvent): PageEvent => {
  if (event._tag === 'Health') return { ...event, at: rxClock.wallClock() }
  if (event._tag !== 'Depth') return event
  const quantityOf = (side: DepthSide): DepthSide => ({
    ...side,
    totalQuantity: BigInt(String(side.totalQuantity)),
  })
  const read = mapRight((depth: Depth): Depth => ({
    ...depth,
    receivedAt: event.at,
    buy: quantityOf(depth.buy),
    sell: quantityOf(depth.sell),
  }))
  return { ...event, event: read(event.event) }
}

/** Emits when a rejected token is requested again: after a while, and when the connection is open again. */
const retry$ = ({ status$ }: PriceClient): Observable<unknown> => {
  const reopened$ = status$.pipe(
    map(({ _tag }) => _tag === 'Open'),
    distinctUntilChanged(),
    skip(1),
    filter(Boolean),
  )
  return merge(timer(rejectedRetryDelay), reopened$)
}
