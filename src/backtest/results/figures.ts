import type { Equity, Filled } from '../account/events.js'
import { annualFigures, Samples, type AnnualFigures, type Returns } from './returns.js'
import { OpenTrips, type RoundTrip } from './round-trips.js'

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

/** The figures of a run, event by event. */
export class Figures {
  private first: Equity | undefined
  private last: Equity | undefined
  private readonly drawdowns = new Drawdowns()
  private readonly samples: Samples
  private heldMs = 0
  private heldSince: number | undefined
  private notCurrentMs = 0
  private fills = 0
  private feesUsd = 0
  private slippageUsd = 0
  private turnoverUsd = 0
  private readonly firstPrices = new Map<string, number>()
  private readonly results = new TripResults()
  private readonly trips: OpenTrips

  constructor(
    private readonly sampleMs: number,
    onTrip: (trip: RoundTrip) => void = () => undefined,
  ) {
    this.samples = new Samples(sampleMs)
    this.trips = new OpenTrips((trip) => {
      this.results.add(trip)
      onTrip(trip)
    })
  }

  onFill(fill: Filled): void {
    this.fills++
    this.feesUsd += fill.feeUsd
    this.slippageUsd += fill.slippageUsd
    this.turnoverUsd += fill.valueUsd
    this.trips.onFill(fill)
    if (this.trips.isHeld) this.heldSince ??= Math.max(fill.at, this.first?.at ?? 0)
    else if (this.heldSince !== undefined) {
      this.heldMs += fill.at - this.heldSince
      this.heldSince = undefined
    }
  }

  onEquity(equity: Equity): void {
    const { last } = this
    this.first ??= equity
    this.last = equity
    if (last?.isCurrent === false) this.notCurrentMs += equity.at - last.at
    this.drawdowns.add(equity)
    this.samples.add(equity)
    this.trips.onEquity(equity)
    for (const [symbol, price] of Object.entries(equity.prices))
      if (!this.firstPrices.has(symbol)) this.firstPrices.set(symbol, price)
  }

  /** Those of the samples so far. */
  get returns(): Returns {
    return this.samples.returns()
  }

  result(): Summary {
    const { first, last, sampleMs, fills, feesUsd, slippageUsd, turnoverUsd, notCurrentMs, results } = this
    const profitUsd = first && last ? last.equityUsd - first.equityUsd : null
    const returnRatio = first && profitUsd !== null ? ratio(profitUsd, first.equityUsd) : null
    const spanMs = first && last ? last.at - first.at : 0
    const heldMs = this.heldMs + (this.heldSince === undefined ? 0 : (last?.at ?? 0) - this.heldSince)
    const prices = last?.prices ?? {}
    return {
      ...{ profitUsd, returnRatio },
      maxDrawdown: this.drawdowns.largest,
      longestDrawdownMs: last === undefined ? null : this.drawdowns.longestUntil(last.at),
      annual: annualFigures(this.returns, sampleMs, returnRatio, spanMs),
      sampleMs,
      exposure: ratio(heldMs, spanMs),
      ...results.figures,
      ...{ fills, feesUsd, slippageUsd, turnoverUsd, notCurrentMs },
      buyAndHold: Object.fromEntries(
        [...this.firstPrices].map(([symbol, price]) => [symbol, (prices[symbol] ?? price) / price - 1]),
      ),
    }
  }
}

/** `null` for a divisor that is not above 0. */
export const ratio = (dividend: number, divisor: number): number | null =>
  divisor > 0 ? dividend / divisor : null

export class Drawdowns {
  largest: number | null = null
  private highest = 0
  private highestAt: number | undefined
  private longestMs = 0

  add({ at, equityUsd }: Equity): void {
    if (this.highestAt === undefined || equityUsd >= this.highest) {
      this.longestMs = this.longestUntil(at)
      this.highest = equityUsd
      this.highestAt = at
    }
    if (this.highest > 0)
      this.largest = Math.max(this.largest ?? 0, (this.highest - equityUsd) / this.highest)
  }

  longestUntil(at: number): number {
    return Math.max(this.longestMs, at - (this.highestAt ?? at))
  }
}

/** The figures of round trips. */
export class TripResults {
  private count = 0
  private won = 0
  private wonUsd = 0
  private lostUsd = 0

  add({ netUsd }: RoundTrip): void {
    this.count++
    if (netUsd > 0) this.won++
    if (netUsd > 0) this.wonUsd += netUsd
    else this.lostUsd -= netUsd
  }

  get figures(): Pick<Summary, 'roundTrips' | 'winRate' | 'expectancyUsd' | 'profitFactor'> {
    const { count, won, wonUsd, lostUsd } = this
    return {
      roundTrips: count,
      winRate: ratio(won, count),
      expectancyUsd: count === 0 ? null : (wonUsd - lostUsd) / count,
      profitFactor: ratio(wonUsd, lostUsd),
    }
  }
}
