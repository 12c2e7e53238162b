/**
 * RxJS operators for streams of `Either`, such as the streams of a client.
 *
 * @module
 */

export type { Candle } from './candle-chart.js'
export { candles, type CandlesOptions, type Priced } from './candles.js'
export {
  combineFresh,
  type CombineFreshOptions,
  type FreshLegs,
  type MarketError,
  type MaxAge,
} from './combine-fresh.js'
export { conflate, type Conflated } from './conflate.js'
export {
  filterRight,
  lefts,
  mapRight,
  orThrow,
  rights,
  scanRight,
  switchMapRight,
  tapLeft,
  type EitherOperator,
} from './either.js'
export { freshWithin } from './fresh-within.js'
export { iterate, type EventIterable, type IterateOptions } from './iterate.js'
export { rolling, type Rolling, type RollingOptions, type RollingWindow } from './rolling.js'
export { snapshots, type Snapshot } from './snapshots.js'
export { toStream$, type Stream } from '../base/time/stream.js'
export type { TopicPast } from './missing-prices.js'
export { withPast, type PastStream, type RefillOptions, type WithPastOptions } from './with-past.js'

export type { CaughtUp, Gap, GapCause, PastEvent, PastPrice } from '../base/domain/past.js'
export type { NotFresh, Stale } from '../base/errors/model.js'
