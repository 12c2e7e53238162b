/**
 * RxJS operators for streams of `Either`: those of a client, or your own.
 *
 * @module
 */

export { candles, type Candle } from './candles.js'
export { combineFresh, type CombineFreshOptions, type FreshLegs } from './combine-fresh.js'
export { conflate, type Conflated } from './conflate.js'
export { freshWithin } from './fresh-within.js'
export { lefts } from './lefts.js'
export { mapRight } from './map-right.js'
export { orThrow } from './or-throw.js'
export { rights } from './rights.js'
export { tapLeft } from './tap-left.js'

export type { NotFresh, Stale } from '../errors/model.js'
