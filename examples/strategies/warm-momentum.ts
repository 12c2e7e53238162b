import type { Either } from 'fp-ts/lib/Either.js'
import { asyncScheduler, defer, type Observable } from 'rxjs'
import type { PriceClient, PriceError, Topic } from 'svc-streams'
import type { History, HistoryError } from 'svc-streams/history'
import { candles, filterRight, mapRight } from 'svc-streams/operators'
import { APO } from 'trading-signals'

// The momentum of candles: how far a fast average of their closing prices is above a slow one. The averages need
// `slowPeriod` candles. With a history they have them at once; without one, the strategy waits that long after each start.
// A quiet minute has a candle too (`fill`), so that each period is a time.

export interface CandleMomentum {
  /** The end of the last candle, in ms since the Unix epoch. */
  readonly at: number
  /** In USD; `null` before the slow average has enough candles. */
  readonly lead: number | null
}

export interface CandlePeriods {
  /** The length of a candle, in ms. */
  readonly ms: number
  readonly fastPeriod: number
  readonly slowPeriod: number
}

export const oneMinute: CandlePeriods = { ms: 60_000, fastPeriod: 12, slowPeriod: 26 }

/**
 * The momentum after each candle, first of those of the history. Passes each `Left`. A candle whose source was lost after
 * its last price changes the averages, but emits nothing: its close is not the current price.
 */
export const warmMomentum$ = (
  client: Pick<PriceClient, 'price$'>,
  topic: Topic,
  history: History | undefined,
  { ms, ...periods }: CandlePeriods = oneMinute,
): Observable<Either<PriceError | HistoryError, CandleMomentum>> =>
  // The averages are mutable: each subscriber has its own.
  defer(() => {
    const averages = new APO(periods)
    const from = asyncScheduler.now() - (periods.slowPeriod + 1) * ms
    const past = history === undefined ? {} : { past$: history.prices$(topic, { from }) }
    // Candles are missing while the source was not current. The averages go on after it, as after a weekend.
    return client.price$(topic).pipe(
      candles(ms, { ...past, fill: true }),
      mapRight(({ close, to, isCurrent }) => ({ at: to, lead: averages.add(close), isCurrent })),
      filterRight(({ isCurrent }) => isCurrent),
      mapRight(({ at, lead }) => ({ at, lead })),
    )
  })
