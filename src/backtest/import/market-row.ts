import type { Address, Topic } from '../../base/domain/topic.js'

export interface ImportedToken {
  readonly topic: Topic
  readonly address: Address
  readonly decimals: number | undefined
}

/** The rows of a token in a file. */
export interface Series {
  readonly token: ImportedToken
  readonly starts: CandleStarts
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

interface Candle {
  readonly high: number
  readonly low: number
  readonly close: number
  /** In ms since the Unix epoch, rounded down; NaN without one. */
  readonly closeTime: number
}

/** By time; of one time, closes come first. */
export const compareTicks = (a: Tick, b: Tick): number =>
  a.at - b.at || Number(b.isClose === true) - Number(a.isClose === true)

/** The starts of the candles of a token in a file, which are added in order. */
export class CandleStarts {
  /** A start with candles of different prices, in ms since the Unix epoch. */
  different: number | undefined
  /** The commonest distance of two starts, in ms; of equally common ones the shortest. `undefined` for a single candle. */
  usual: number | undefined
  /** The number of close times that are not after their start, which are not used, or are after the next start. */
  oddEnds = 0
  private last: MarketRow | undefined
  /** How often two starts have a distance. */
  private readonly distances = new Map<number, number>()

  add(row: MarketRow): void {
    const { last, distances } = this
    this.last = row
    if (closeTimeOf(row) <= row.at) this.oddEnds++
    if (last === undefined) return
    const distance = row.at - last.at
    if (distance > 0 && closeTimeOf(last) > row.at) this.oddEnds++
    if (distance > 0) distances.set(distance, (distances.get(distance) ?? 0) + 1)
    else if (!isSameCandle(row, last)) this.different ??= row.at
  }

  /** After the last row. */
  finish(): void {
    const [first] = [...this.distances].sort(([a, one], [b, two]) => two - one || a - b)
    this.usual = first?.[0]
  }

  /** The number of rows whose distance is no multiple of the usual one: a multiple is a gap. */
  get odd(): number {
    const usual = this.usual ?? 1
    return [...this.distances].reduce(
      (sum, [distance, count]) => sum + (distance % usual === 0 ? 0 : count),
      0,
    )
  }
}

const closeTimeOf = ({ candle }: MarketRow): number => candle?.closeTime ?? NaN

const isSameCandle = (a: MarketRow, b: MarketRow): boolean =>
  a.price === b.price &&
  a.candle?.high === b.candle?.high &&
  a.candle?.low === b.candle?.low &&
  a.candle?.close === b.candle?.close
