import type { Address, Topic } from '../../base/domain/topic.js'
import type { Candle, CandleStarts } from './candles.js'

export interface ImportedToken {
  readonly topic: Topic
  readonly address: Address
  readonly decimals: number | undefined
}

/** The rows of a token in a file. */
export interface Series {
  readonly token: ImportedToken
  /** In order, of a file of candles. */
  readonly candles: MarketRow[]
  starts: CandleStarts
}

/** The quantities that can be bought and sold, in base-token units. */
export interface Quantities {
  readonly buy: bigint
  readonly sell: bigint
}

/** A price of the recording. */
export interface Tick {
  /** In ms since the Unix epoch. */
  readonly at: number
  readonly token: ImportedToken
  /** In USD. */
  readonly price: number
  readonly depth?: Quantities | undefined
  /** True for the end of a candle, which comes before other prices of its time. */
  readonly isClose?: boolean
}

/** A valid row of a file: a price, or a candle by its start and its open. */
export interface MarketRow extends Tick {
  readonly series: Series
  readonly candle?: Candle | undefined
}

/** By time; of one time, closes come first. */
export const compareTicks = (a: Tick, b: Tick): number =>
  a.at - b.at || Number(b.isClose === true) - Number(a.isClose === true)
