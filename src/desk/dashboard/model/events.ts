import {
  distinctUntilChanged,
  exhaustMap,
  filter,
  map,
  merge,
  repeat,
  skip,
  switchMap,
  timer,
  type Observable,
} from 'rxjs'
import type { Client, PriceClient } from '../../../client/client.js'
import type { Topic } from '../../../base/domain/topic.js'
import {
  depthRow$,
  priceRow$,
  statusRow$,
  uncorrelatedRow$,
} from '../../../backtest/recording/record/client-rows.js'
import { rxClock } from '../../../base/time/rx-clock.js'
import type { Health } from '../../display/connection.js'
import type { DisplayEvent, HealthRow } from '../../display/display.js'
import type { PageConfig } from './served.js'

/** Time between two requests for the server's health, in ms. */
const healthInterval = 2000

/** Time after which a rejected token is requested again, in ms: the service may list it in the meantime. */
const rejectedRetryDelay = 30_000

/** All events of the page. `health$`: one request to the server. */
export const pageEvent$ = (
  client: PriceClient,
  depthClient: Client | undefined,
  { service, tokens, depthInterval }: PageConfig,
  health$: Observable<Health>,
): Observable<DisplayEvent> => {
  const topicOf = ({ address }: PageConfig['tokens'][number]): Topic => `${service}-${address}`
  const prices = tokens.map((token) =>
    priceRow$(client, topicOf(token)).pipe(repeat({ delay: () => retry$(client) })),
  )
  const depths =
    depthClient === undefined || depthInterval === null
      ? []
      : tokens.map(({ address }) => depthRow$(depthClient, address, depthInterval))
  return merge(
    statusRow$(client),
    uncorrelatedRow$(client),
    healthRow$(client, health$),
    ...prices,
    ...depths,
  )
}

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
