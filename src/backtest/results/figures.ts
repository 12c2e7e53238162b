import type { AnnualFigures } from './returns.js'

/** The figures of a run. USD. `null` where a figure has no meaning, such as a share of no trades. */
export interface Summary {
  /** The last `Equity` less the first. */
  readonly profitUsd: number | null
  /** `profitUsd` as a share of the first `Equity`. */
  readonly returnRatio: number | null
  /** The largest fall from a higher `Equity` before, as a share of that. */
  readonly maxDrawdown: number | null
  /** The longest time from a highest `Equity` to the next one that is not below it, or to the end, in ms. */
  readonly longestDrawdownMs: number | null
  /** Per year of 365 days; `null` with fewer than 30 samples. */
  readonly annual: AnnualFigures | null
  /** The distance of two samples, in ms. */
  readonly sampleMs: number
  /** The share of the time between the first and the last `Equity` in which there was a position. */
  readonly exposure: number | null
  /** The number of positions that were opened and closed. */
  readonly roundTrips: number
  /** The share of the round trips with a profit after fees. */
  readonly winRate: number | null
  /** The mean profit of a round trip, after fees. */
  readonly expectancyUsd: number | null
  /** The profits of the round trips that won, divided by the losses of the others. */
  readonly profitFactor: number | null
  readonly fills: number
  readonly feesUsd: number
  readonly slippageUsd: number
  /** The sum of the values of all fills. */
  readonly turnoverUsd: number
  /** The time in which the price of a token that was held was not current, in ms. */
  readonly notCurrentMs: number
  /** The last price of each token divided by its first one, less 1, by symbol. */
  readonly buyAndHold: Readonly<Record<string, number>>
}
