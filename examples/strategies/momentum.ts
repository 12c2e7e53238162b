import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { map, scan, type Observable } from 'rxjs'
import type { Price, PriceClient, PriceError, Topic } from 'svc-streams'
import { APO, TradingSignal, type APOConfig, type TradingSignals } from 'trading-signals'

// Momentum: buy when a fast average of the prices crosses above a slow one, sell when it crosses below.
//
// The averages are over prices as they come, not over equal times: put `candles(ms)` first for that.

export interface Momentum {
  readonly price: Price
  /** How far the fast average is above the slow one, in USD; `null` while too few prices are known. */
  readonly lead: number | null
  readonly signal: 'buy' | 'sell' | 'hold'
}

type PriceEvent = Either<PriceError, Price>

/** All that carries on from one price to the next. */
interface Course {
  readonly averages: APO | undefined
  readonly outcome: Either<PriceError, Momentum>
}

const usual: APOConfig = { fastPeriod: 12, slowPeriod: 26 }

/**
 * A signal with each price. A `Left` passes, and whatever it is, prices may be missing: the averages begin anew with
 * the next price, and there is no signal before they are known again. No strategy acts on a dead stream.
 */
export const momentum$ = (
  client: Pick<PriceClient, 'price$'>,
  topic: Topic,
  periods = usual,
): Observable<Either<PriceError, Momentum>> =>
  client.price$(topic).pipe(
    // Averages change with each price. As the seed they would be shared by all who subscribe, so there is none.
    scan<PriceEvent, Course, undefined>(follow(periods), undefined),
    map(({ outcome }) => outcome),
  )

const follow =
  (periods: APOConfig) =>
  (course: Course | undefined, event: PriceEvent): Course => {
    if (isLeft(event)) return { averages: undefined, outcome: event }
    const averages = course?.averages ?? new APO(periods)
    return { averages, outcome: right(advance(averages, event.right)) }
  }

const advance = (averages: APO, price: Price): Momentum => {
  const before = averages.getSignal().state
  const lead = averages.add(price.price)
  return { price, lead, signal: decide(before, averages.getSignal().state) }
}

/** A crossing has two sides: where the first one is unknown, nothing has been crossed. */
const decide = (before: TradingSignals, now: TradingSignals): Momentum['signal'] => {
  if (before === TradingSignal.UNKNOWN || before === now) return 'hold'
  if (now === TradingSignal.BULLISH) return 'buy'
  return now === TradingSignal.BEARISH ? 'sell' : 'hold'
}
