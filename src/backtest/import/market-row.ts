import type { Address, Topic } from '../../base/domain/topic.js'

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
  /** Of the last valid row, or the open of that candle. In USD. */
  lastPrice?: number
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

export interface Candle {
  /** Open, high, low and close. */
  readonly prices: readonly number[]
  /** In ms since the Unix epoch, rounded down; NaN without one. */
  readonly closeTime: number
  /** The next start of its token; undefined for the last candle. */
  next?: number | undefined
}

/** What the candles of a token in a file have in common. */
export interface CandleStarts {
  /** The commonest distance of two starts, in ms; of equally common ones the shortest. `undefined` for a single candle. */
  readonly usual?: number | undefined
  /** The number of rows whose distance is no multiple of the usual one: a multiple is a gap. */
  readonly odd: number
  /** A start with candles of different prices, in ms since the Unix epoch. */
  readonly different?: number | undefined
}

/** By time; of one time, closes come first. */
export const compareTicks = (a: Tick, b: Tick): number =>
  a.at - b.at || Number(b.isClose === true) - Number(a.isClose === true)
