import type { Account, Equity, Filled, PaperEvent } from '../account/events.js'
import { Curve, type Point } from './curve.js'
import type { Summary } from './figures.js'
import { annualFigures, Samples, type Returns } from './returns.js'
import { OpenTrips, type RoundTrip } from './round-trips.js'

/** The events of an account, folded: of any length, in constant memory. */
export interface Folded {
  readonly _tag: 'Folded'
  readonly summary: Summary
  /** In order, at most 2000: the first and the last value, and the lowest and the highest of each step of time in between. */
  readonly curve: readonly CurvePoint[]
}

/** With the trades, if they are kept. */
export interface KeptFold extends Folded {
  readonly trades?: RunTrades
}

/** The value of an account while all its prices were current. */
export interface CurvePoint {
  /** In ms since the Unix epoch. */
  readonly at: number
  readonly equityUsd: number
}

/** What a report shows of a run, without its figures. */
export interface RunTrades {
  readonly equity: readonly Point[]
  /** Of each token, by symbol. */
  readonly prices: ReadonlyMap<string, readonly Point[]>
  readonly fills: readonly Filled[]
  readonly trips: readonly RoundTrip[]
  /** The orders that were not filled, or in part, by the reason without its details. */
  readonly unfilled: ReadonlyMap<string, Unfilled>
  readonly account: Account | undefined
  readonly returns: Returns
}

/** Orders that were not filled for one reason. */
export interface Unfilled {
  /** Of the first order. */
  readonly reason: string
  readonly count: number
}

/** Folds the events of a run, or chains runs that are folded. Memory grows with the trades, if they are kept. */
export class RunFold {
  private readonly equity = new Curve()
  /** Of each token, by symbol. */
  private readonly prices = new Map<string, Curve>()
  private readonly drawdowns = new Drawdowns()
  private readonly samples: Samples
  /** Those of chained runs are added. */
  private readonly sums = { fills: 0, feesUsd: 0, slippageUsd: 0, turnoverUsd: 0, notCurrentMs: 0 }
  private readonly results = { trips: 0, won: 0, wonUsd: 0, lostUsd: 0 }
  private readonly openTrips = new OpenTrips((trip) => this.addTrip(trip))
  private heldMs = 0
  /** The time with a position since the last `Equity`, and the time of the last event. */
  private heldSinceMs = 0
  private at = 0
  private readonly kept = {
    fills: [] as Filled[],
    trips: [] as RoundTrip[],
    unfilled: new Map<string, Unfilled>(),
    account: undefined as Account | undefined,
  }

  /** `sampleMs` and `from`: of `summary`. */
  constructor(
    private readonly keepsTrades: boolean,
    private readonly sampleMs = 60_000,
    private readonly from = -Infinity,
  ) {
    this.samples = new Samples(sampleMs)
  }

  add(event: PaperEvent): void {
    if (!('at' in event) || event.at < this.from) return
    if (this.equity.first !== undefined && this.openTrips.isHeld) this.heldSinceMs += event.at - this.at
    this.at = event.at
    if (event._tag === 'Filled') this.addFill(event)
    if (event._tag === 'Equity') this.addEquity(event)
    if (this.keepsTrades) this.keep(event)
  }

  private addFill(fill: Filled): void {
    const { sums } = this
    sums.fills++
    sums.feesUsd += fill.feeUsd
    sums.slippageUsd += fill.slippageUsd
    sums.turnoverUsd += fill.valueUsd
    this.openTrips.onFill(fill)
  }

  private addTrip(trip: RoundTrip): void {
    const { results } = this
    results.trips++
    if (trip.netUsd > 0) results.won++
    if (trip.netUsd > 0) results.wonUsd += trip.netUsd
    else results.lostUsd -= trip.netUsd
    if (this.keepsTrades) this.kept.trips.push(trip)
  }

  private addEquity(equity: Equity): void {
    const { at, equityUsd, isCurrent, prices } = equity
    const { last } = this.equity
    if (last?.isCurrent === false) this.sums.notCurrentMs += at - last.at
    this.heldMs += this.heldSinceMs
    this.heldSinceMs = 0
    const point = { at, value: equityUsd, isCurrent }
    this.addPoint(point)
    this.samples.add(point)
    this.openTrips.onEquity(equity)
    for (const [symbol, value] of Object.entries(prices))
      this.addPrice(symbol, { at, value, isCurrent: true })
  }

  private addPoint(point: Point): void {
    this.equity.add(point)
    this.drawdowns.add(point)
  }

  private addPrice(symbol: string, point: Point): void {
    const curve = this.prices.get(symbol) ?? new Curve(this.keepsTrades)
    this.prices.set(symbol, curve)
    curve.add(point)
  }

  private keep(event: PaperEvent): void {
    if (event._tag === 'Filled') this.kept.fills.push(event)
    this.kept.account = event._tag === 'Account' ? event : undefined
    if (event._tag !== 'Rejected' && event._tag !== 'Cancelled') return
    const reason = event._tag === 'Rejected' ? event.reason : 'cancelled, whole or in part'
    addUnfilled(this.kept.unfilled, { reason, count: 1 })
  }

  /** Chains a run by its returns: it starts with the equity that the previous one reached, and keeps one that is not above 0. Fills and round trips are not scaled. */
  addRun({ summary, trades }: KeptFold): void {
    if (trades === undefined) return
    const { equity, fills, trips, unfilled, prices, returns } = trades
    const [first, last] = [equity[0], equity.at(-1)]
    if (first === undefined || last === undefined) return
    const { value: reached } = this.equity.last ?? first
    const scale = first.value > 0 ? Math.max(0, reached) / first.value : 1
    const chained = (value: number): number => reached + (value - first.value) * scale
    for (const point of equity) this.addPoint({ ...point, value: chained(point.value) })
    // The curve of a run may have fewer points than the run had.
    this.drawdowns.include(summary)
    this.samples.include(returns)
    this.heldMs += (summary.exposure ?? 0) * (last.at - first.at)
    for (const name of Object.keys(this.sums) as (keyof typeof this.sums)[]) this.sums[name] += summary[name]
    for (const [symbol, points] of prices) for (const point of points) this.addPrice(symbol, point)
    for (const trip of trips) this.addTrip(trip)
    for (const fill of fills) this.kept.fills.push(fill)
    for (const each of unfilled.values()) addUnfilled(this.kept.unfilled, each)
  }

  get summary(): Summary {
    const { sampleMs } = this
    const { first, last } = this.equity
    const { trips, won, wonUsd, lostUsd } = this.results
    const profitUsd = first && last ? last.value - first.value : null
    const returnRatio = first && profitUsd !== null ? ratio(profitUsd, first.value) : null
    const spanMs = first && last ? last.at - first.at : 0
    return {
      ...{ profitUsd, returnRatio, maxDrawdown: this.drawdowns.largest },
      longestDrawdownMs: last === undefined ? null : this.drawdowns.longestUntil(last.at),
      annual: annualFigures(this.samples.returns(), sampleMs, returnRatio, spanMs),
      ...{ sampleMs, exposure: ratio(this.heldMs, spanMs), roundTrips: trips, winRate: ratio(won, trips) },
      expectancyUsd: trips === 0 ? null : (wonUsd - lostUsd) / trips,
      profitFactor: ratio(wonUsd, lostUsd),
      ...this.sums,
      buyAndHold: Object.fromEntries(
        [...this.prices].flatMap(([symbol, { first, last }]) =>
          first && last ? [[symbol, last.value / first.value - 1]] : [],
        ),
      ),
    }
  }

  get folded(): KeptFold {
    const points = this.equity.result()
    const { first, last } = this.equity
    const shown = points.filter((each) => each.isCurrent || each === first || each === last)
    const curve = shown.map(({ at, value }) => ({ at, equityUsd: value }))
    return {
      ...{ _tag: 'Folded', summary: this.summary, curve },
      ...(this.keepsTrades && { trades: this.trades }),
    }
  }

  get trades(): RunTrades {
    const { kept, equity, samples } = this
    const prices = new Map([...this.prices].map(([symbol, curve]) => [symbol, curve.result()]))
    return { ...kept, equity: equity.result(), prices, returns: samples.returns() }
  }
}

/** Adds orders to those that were not filled for the same reason. Its details, such as amounts, come after a colon. */
const addUnfilled = (all: Map<string, Unfilled>, { reason, count }: Unfilled): void => {
  const [kind = ''] = reason.split(': ', 1)
  const before = all.get(kind) ?? { reason, count: 0 }
  all.set(kind, { ...before, count: before.count + count })
}

/** `null` for a divisor that is not above 0. */
const ratio = (dividend: number, divisor: number): number | null => (divisor > 0 ? dividend / divisor : null)

class Drawdowns {
  largest: number | null = null
  private highest = 0
  private highestAt: number | undefined
  private longestMs = 0

  add({ at, value }: Point): void {
    if (this.highestAt === undefined || value >= this.highest) {
      this.longestMs = this.longestUntil(at)
      this.highest = value
      this.highestAt = at
    }
    if (this.highest > 0) this.largest = Math.max(this.largest ?? 0, (this.highest - value) / this.highest)
  }

  /** Takes the drawdowns of a part of the curve. */
  include({ maxDrawdown, longestDrawdownMs }: Summary): void {
    if (maxDrawdown !== null) this.largest = Math.max(this.largest ?? 0, maxDrawdown)
    this.longestMs = Math.max(this.longestMs, longestDrawdownMs ?? 0)
  }

  longestUntil(at: number): number {
    return Math.max(this.longestMs, at - (this.highestAt ?? at))
  }
}
