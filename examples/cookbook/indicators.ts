// indicators.ts
import type { Either } from 'fp-ts/lib/Either.js'
import { asyncScheduler, defer, type Observable } from 'rxjs'
import type { PriceClient, PriceError, Topic } from 'svc-streams'
import type { History, HistoryError } from 'svc-streams/history'
import { candles, filterRight, mapRight } from 'svc-streams/operators'
import { ATR, RSI } from 'trading-signals'

/** A bar with its indicators, which are `null` until they have enough bars. */
export interface Bar {
  readonly to: number
  readonly close: number
  readonly rsi: number | null
  readonly atr: number | null
}

/**
 * RSI and ATR of 14 bars, known at the first live bar, because the history has the 30 bars before. Past bars, and a bar
 * whose close is not current, change the indicators and are not emitted.
 */
export const bar$ = (
  client: Pick<PriceClient, 'price$'>,
  history: Pick<History, 'prices$'>,
  topic: Topic,
  ms = 60_000,
): Observable<Either<PriceError | HistoryError, Bar>> =>
  defer(() => {
    const [rsi, atr] = [new RSI(14), new ATR(14)] // they are mutable: each subscriber has its own
    const startedAt = asyncScheduler.now()
    const past$ = history.prices$(topic, { from: startedAt - 30 * ms })
    return client.price$(topic).pipe(
      candles(ms, { past$, fill: true }),
      mapRight((bar) => ({ ...bar, rsi: rsi.add(bar.close), atr: atr.add(bar) })),
      filterRight(({ isCurrent, to }) => isCurrent && to > startedAt),
    )
  })
