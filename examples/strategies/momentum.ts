import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { map, scan, type Observable } from 'rxjs'
import type { Price, PriceClient, PriceError, Topic } from 'svc-streams'
import { APO, TradingSignal, type APOConfig, type TradingSignals } from 'trading-signals'

// Momentum: buy when a fast average of the prices crosses above a slow one, sell when it crosses below.
//
// The averages weight each price equally, whatever the time between prices. For equal times, use `candles(ms)` first.

export interface Momentum {
  readonly price: Price
  /** How far the fast average is above the slow one, in USD; `null` before the slow average has enough prices. */
  readonly lead: number | null
  readonly signal: 'buy' | 'sell' | 'hold'
}

type PriceEvent = Either<PriceError, Price>

/** The state between two events. */
interface MomentumState {
  readonly averages: APO | undefined
  readonly outcome: Either<PriceError, Momentum>
}

const defaultPeriods: APOConfig = { fastPeriod: 12, slowPeriod: 26 }

/**
 * Emits a signal for each price, and passes each `Left`. Prices may be missing after a `Left`, so the averages start again
 * with the next price, and there is no signal until they have enough prices.
 */
export const momentum$ = (
  client: Pick<PriceClient, 'price$'>,
  topic: Topic,
  periods = defaultPeriods,
): Observable<Either<PriceError, Momentum>> =>
  client.price$(topic).pipe(
    // No seed: the averages are mutable, and all subscribers would share a seed.
    scan<PriceEvent, MomentumState, undefined>(follow(periods), undefined),
    map(({ outcome }) => outcome),
  )

const follow =
  (periods: APOConfig) =>
  (state: MomentumState | undefined, event: PriceEvent): MomentumState => {
    if (isLeft(event)) return { averages: undefined, outcome: event }
    const averages = state?.averages ?? new APO(periods)
    return { averages, outcome: right(advance(averages, event.right)) }
  }

const advance = (averages: APO, price: Price): Momentum => {
  const before = averages.getSignal().state
  const lead = averages.add(price.price)
  return { price, lead, signal: decide(before, averages.getSignal().state) }
}

/** The first known direction is not a crossing. */
const decide = (before: TradingSignals, now: TradingSignals): Momentum['signal'] => {
  if (before === TradingSignal.UNKNOWN || before === now) return 'hold'
  if (now === TradingSignal.BULLISH) return 'buy'
  return now === TradingSignal.BEARISH ? 'sell' : 'hold'
}
