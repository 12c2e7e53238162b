import type { Filled } from '../account/events.js'
import { Curve } from './curve.js'
import { Drawdowns, ratio, TripResults, type Summary } from './figures.js'
import { annualFigures, joined, noReturns } from './returns.js'
import type { RoundTrip } from './round-trips.js'
import { addUnfilled, type RunTrades, type Unfilled } from './run-fold.js'

/**
 * Runs one after another as one, by their returns: each starts with the equity that the one before has reached. Quantities, and the USD
 * of fills and round trips, are those of each run. Memory grows with the trades.
 */
export class ChainedRuns {
  private readonly curve = new Curve()
  private readonly drawdowns = new Drawdowns()
  private readonly fills: Filled[] = []
  private readonly trips: RoundTrip[] = []
  private readonly unfilled = new Map<string, Unfilled>()
  private readonly results = new TripResults()
  private returns = noReturns
  private readonly sums = { fills: 0, feesUsd: 0, slippageUsd: 0, turnoverUsd: 0, notCurrentMs: 0 }
  private spanMs = 0
  private heldMs = 0
  private readonly held = new Map<string, number>()
  private largestDrawdown: number | null = null
  private longestDrawdownMs = 0
  private start: number | undefined
  private end = 0
  private endedAt = 0
  private sampleMs = 60_000

  add(summary: Summary, { equities, fills, trips, unfilled, returns }: RunTrades): void {
    const [first, last] = [equities[0], equities.at(-1)]
    if (first === undefined || last === undefined) return
    this.start ??= this.end = first.equityUsd
    const scale = first.equityUsd > 0 ? this.end / first.equityUsd : 1
    for (const equity of equities) {
      const scaled = { ...equity, equityUsd: equity.equityUsd * scale }
      this.curve.add(scaled)
      this.drawdowns.add(scaled)
    }
    this.end = last.equityUsd * scale
    this.endedAt = last.at
    this.sampleMs = summary.sampleMs
    // Inside of a run, its own are exact.
    this.largestDrawdown = largest(this.largestDrawdown, summary.maxDrawdown)
    this.longestDrawdownMs = Math.max(this.longestDrawdownMs, summary.longestDrawdownMs ?? 0)
    this.returns = joined(this.returns, returns)
    for (const name of added) this.sums[name] += summary[name]
    this.spanMs += last.at - first.at
    this.heldMs += (summary.exposure ?? 0) * (last.at - first.at)
    for (const [symbol, gain] of Object.entries(summary.buyAndHold))
      this.held.set(symbol, (this.held.get(symbol) ?? 1) * (1 + gain))
    for (const trip of trips) {
      this.results.add(trip)
      this.trips.push(trip)
    }
    for (const fill of fills) this.fills.push(fill)
    for (const each of unfilled.values()) addUnfilled(this.unfilled, each)
  }

  get trades(): RunTrades {
    const { fills, trips, unfilled, returns } = this
    return { equities: this.curve.result(), fills, trips, unfilled, returns, account: undefined }
  }

  get summary(): Summary {
    const { start, end, drawdowns, sampleMs, spanMs, heldMs, sums } = this
    const profitUsd = start === undefined ? null : end - start
    const returnRatio = start === undefined || profitUsd === null ? null : ratio(profitUsd, start)
    return {
      ...{ profitUsd, returnRatio, maxDrawdown: largest(drawdowns.largest, this.largestDrawdown) },
      longestDrawdownMs:
        start === undefined ? null : Math.max(drawdowns.longestUntil(this.endedAt), this.longestDrawdownMs),
      annual: annualFigures(this.returns, sampleMs, returnRatio, spanMs),
      ...{ sampleMs, exposure: ratio(heldMs, spanMs), ...this.results.figures, ...sums },
      buyAndHold: Object.fromEntries([...this.held].map(([symbol, factor]) => [symbol, factor - 1])),
    }
  }
}

/** The figures that are added. */
const added = ['fills', 'feesUsd', 'slippageUsd', 'turnoverUsd', 'notCurrentMs'] as const

const largest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b)
