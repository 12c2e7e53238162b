import { numberOption } from '../../base/option-kinds/number-option.js'
import { checkedOption, type OptionTable } from '../../base/option-kinds/option.js'
import { parseOptions } from '../../base/option-kinds/parse-options.js'
import type { Equity, Filled, PaperEvent } from '../account/events.js'
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

/** A sample is the last `Equity` at or before a multiple of `sampleMs`, if it was current. Two neighbours have a return. */
export interface AnnualFigures {
  /** The growth in a year at the pace of the run, less 1. */
  readonly returnRatio: number | null
  /** The deviation of the returns, times the root of the samples a year. `null` below 1e-9. */
  readonly volatility: number | null
  /** Mean / deviation of the returns, times the root of the samples a year. */
  readonly sharpe: number | null
  /** Mean / root of the mean square of the negative returns (others as 0), times that root. */
  readonly sortino: number | null
}

export interface SummaryOptions {
  /** The distance of two samples, in ms. Default: 60000. */
  readonly sampleMs?: number
  /** Earlier events do not count, in ms since the Unix epoch. Default: all count. */
  readonly from?: number
}

export const summaryTable = {
  sampleMs: numberOption({ unit: 'ms', min: 1, max: 1e12, default: 60_000 }),
  from: checkedOption<number>('number', {
    expected: 'a time in ms since the Unix epoch',
    holds: (value) => typeof value === 'number' && !Number.isNaN(value),
  }),
} satisfies OptionTable<SummaryOptions>

/** Computes the figures of a run event by event, in constant memory. */
export interface SummaryFold {
  readonly add: (event: PaperEvent) => void
  /** Those of the events so far. */
  readonly result: () => Summary
}

/**
 * The figures of the events of one run, or of all runs of one journal. Throws a `ConfigurationError` for an invalid
 * option, and a misspelt option name.
 *
 * @example
 * import type { PaperEvent } from 'svc-streams/paper'
 * const print = (events: readonly PaperEvent[]) => console.log(summaryOf(events))
 */
export const summaryOf = (events: readonly PaperEvent[], options: SummaryOptions = {}): Summary => {
  const { add, result } = summary(options)
  for (const event of events) add(event)
  return result()
}

/** `summaryOf` as a fold: `add` each event, then read `result`. */
export const summary = (options: SummaryOptions = {}): SummaryFold => {
  const { sampleMs, from = -Infinity } = parseOptions(summaryTable, options, { allowsUndefined: true })
  const figures = new Figures(sampleMs)
  return {
    add: (event) => {
      if (event._tag === 'Filled' && event.at >= from) figures.onFill(event)
      if (event._tag === 'Equity' && event.at >= from) figures.onEquity(event)
    },
    result: () => figures.result(),
  }
}

const year = 365 * 86_400_000

/** Fewer samples give no annual figures. */
const minSamples = 30

/** A smaller deviation is the rounding of equal returns. */
const minDeviation = 1e-9

class Figures {
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
  private readonly results = { count: 0, won: 0, wonUsd: 0, lostUsd: 0 }
  private readonly trips = new OpenTrips((trip) => this.onTrip(trip))

  constructor(private readonly sampleMs: number) {
    this.samples = new Samples(sampleMs)
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

  private onTrip({ netUsd }: RoundTrip): void {
    const { results } = this
    results.count++
    if (netUsd > 0) results.won++
    if (netUsd > 0) results.wonUsd += netUsd
    else results.lostUsd -= netUsd
  }

  result(): Summary {
    const { first, last, sampleMs, fills, feesUsd, slippageUsd, turnoverUsd, notCurrentMs, results } = this
    const { count, won, wonUsd, lostUsd } = results
    const profitUsd = first && last ? last.equityUsd - first.equityUsd : null
    const returnRatio = first && profitUsd !== null ? ratio(profitUsd, first.equityUsd) : null
    const spanMs = first && last ? last.at - first.at : 0
    const heldMs = this.heldMs + (this.heldSince === undefined ? 0 : (last?.at ?? 0) - this.heldSince)
    const prices = last?.prices ?? {}
    return {
      ...{ profitUsd, returnRatio },
      maxDrawdown: this.drawdowns.largest,
      longestDrawdownMs: last === undefined ? null : this.drawdowns.longestUntil(last.at),
      annual: this.samples.annual(returnRatio, spanMs),
      sampleMs,
      exposure: ratio(heldMs, spanMs),
      roundTrips: count,
      winRate: ratio(won, count),
      expectancyUsd: count === 0 ? null : (wonUsd - lostUsd) / count,
      profitFactor: ratio(wonUsd, lostUsd),
      ...{ fills, feesUsd, slippageUsd, turnoverUsd, notCurrentMs },
      buyAndHold: Object.fromEntries(
        [...this.firstPrices].map(([symbol, price]) => [symbol, (prices[symbol] ?? price) / price - 1]),
      ),
    }
  }
}

const ratio = (dividend: number, divisor: number): number | null => (divisor > 0 ? dividend / divisor : null)

class Drawdowns {
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

/** The returns between neighbouring samples: their number, mean and squares. */
class Samples {
  private last: Equity | undefined
  /** The value of the sample at the last multiple; undefined if it was not current. */
  private sample: number | undefined
  private count = 0
  private returns = 0
  private mean = 0
  /** The sum of the squares of the differences from the mean. */
  private squares = 0
  private negativeSquares = 0
  private isMeaningless = false

  constructor(private readonly sampleMs: number) {}

  add(equity: Equity): void {
    if (this.last !== undefined) this.pass(this.last, equity.at)
    this.last = equity
  }

  /** Takes the samples of an `Equity`, at the multiples from it on that are before `until`. */
  private pass({ at, equityUsd, isCurrent }: Equity, until: number): void {
    const count = Math.ceil(until / this.sampleMs) - Math.ceil(at / this.sampleMs)
    if (count <= 0) return
    if (!isCurrent) {
      this.sample = undefined
      return
    }
    this.count += count
    if (equityUsd <= 0) this.isMeaningless = true
    if (this.sample !== undefined) this.addReturns(equityUsd / this.sample - 1, 1)
    this.addReturns(0, count - 1)
    this.sample = equityUsd
  }

  /** `times` equal returns. */
  private addReturns(value: number, times: number): void {
    if (times === 0) return
    const difference = value - this.mean
    const all = this.returns + times
    this.squares += (difference ** 2 * this.returns * times) / all
    this.mean += (difference * times) / all
    this.returns = all
    this.negativeSquares += Math.min(value, 0) ** 2 * times
  }

  annual(returnRatio: number | null, spanMs: number): AnnualFigures | null {
    // The last `Equity` is the sample of its own time, unless another event follows.
    const all = Object.assign(new Samples(this.sampleMs), this)
    if (all.last !== undefined) all.pass(all.last, all.last.at + 1)
    const { count, returns, mean, squares, negativeSquares } = all
    if (count < minSamples || returns === 0 || all.isMeaningless) return null
    const root = Math.sqrt(year / this.sampleMs)
    const deviation = Math.sqrt(squares / returns)
    const isSteady = deviation < minDeviation
    const downside = Math.sqrt(negativeSquares / returns)
    return {
      returnRatio:
        returnRatio === null || spanMs <= 0 ? null : Math.max(0, 1 + returnRatio) ** (year / spanMs) - 1,
      volatility: isSteady ? null : deviation * root,
      sharpe: isSteady ? null : (mean / deviation) * root,
      sortino: downside < minDeviation ? null : (mean / downside) * root,
    }
  }
}
