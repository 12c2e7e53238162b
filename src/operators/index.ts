/**
 * RxJS operators for streams of `Either`: those of a client, or your own.
 *
 * @module
 */

export { candles, type Candle } from './candles.js'
export { combineFresh, type CombineFreshOptions, type FreshLegs } from './combine-fresh.js'
export { conflate, type Conflated } from './conflate.js'
export type { EitherOperator } from './either/either-operator.js'
export { filterRight } from './either/filter-right.js'
export { lefts } from './either/lefts.js'
export { mapRight } from './either/map-right.js'
export { orThrow } from './either/or-throw.js'
export { rights } from './either/rights.js'
export { scanRight } from './either/scan-right.js'
export { switchMapRight } from './either/switch-map-right.js'
export { tapLeft } from './either/tap-left.js'
export { freshWithin } from './fresh-within.js'

export type { NotFresh, Stale } from '../errors/model.js'
