import type { Account, Equity, Filled, PaperEvent } from '../account/events.js'
import { Curve } from './curve.js'
import { Figures, type Summary } from './figures.js'
import type { Returns } from './returns.js'
import type { RoundTrip } from './round-trips.js'

/** The events of an account, folded: of any length, in constant memory. */
export interface Folded {
  readonly _tag: 'Folded'
  readonly summary: Summary
  /** In order, at most 2000: the first and the last value, and the lowest and the highest of each step of time in between. */
  readonly curve: readonly CurvePoint[]
}

/** The value of an account while all its prices were current. */
export interface CurvePoint {
  /** In ms since the Unix epoch. */
  readonly at: number
  readonly equityUsd: number
}

/** What a report shows of a run, without its figures. */
export interface RunTrades {
  /** The curve, with prices. */
  readonly equities: readonly Equity[]
  readonly fills: readonly Filled[]
  readonly trips: readonly RoundTrip[]
  /** The orders that were not filled, or in part, by the reason. */
  readonly unfilled: ReadonlyMap<string, Unfilled>
  readonly account: Account | undefined
  readonly returns: Returns
}

/** Orders that were not filled for one reason. `firstAt`: in ms since the Unix epoch. */
export interface Unfilled {
  readonly count: number
  readonly firstAt: number
}

/** Folds the events of a run. Memory grows with its trades, if they are kept. */
export class RunFold {
  private readonly figures: Figures
  private readonly curve = new Curve<Equity>()
  private readonly fills: Filled[] = []
  private readonly trips: RoundTrip[] = []
  private readonly unfilled = new Map<string, Unfilled>()
  private account: Account | undefined

  /** `sampleMs` and `from`: of `summary`. */
  constructor(
    private readonly keepsTrades: boolean,
    sampleMs = 60_000,
    private readonly from = -Infinity,
  ) {
    this.figures = new Figures(sampleMs, (trip) => {
      if (keepsTrades) this.trips.push(trip)
    })
  }

  add(event: PaperEvent): void {
    if (!('at' in event) || event.at < this.from) return
    if (event._tag === 'Filled') this.figures.onFill(event)
    if (event._tag === 'Equity') {
      this.figures.onEquity(event)
      this.curve.add(event)
    }
    if (this.keepsTrades) this.keep(event)
  }

  private keep(event: PaperEvent): void {
    if (event._tag === 'Filled') this.fills.push(event)
    if (event._tag === 'Account') this.account = event
    if (event._tag !== 'Rejected' && event._tag !== 'Cancelled') return
    const reason = event._tag === 'Rejected' ? event.reason : 'cancelled, whole or in part'
    const { count, firstAt } = this.unfilled.get(reason) ?? { count: 0, firstAt: event.at }
    this.unfilled.set(reason, { count: count + 1, firstAt })
  }

  get summary(): Summary {
    return this.figures.result()
  }

  get folded(): Folded {
    const equities = this.curve.result()
    const [first, last] = [equities[0], equities.at(-1)]
    const shown = equities.filter((each) => each.isCurrent || each === first || each === last)
    const curve = shown.map(({ at, equityUsd }) => ({ at, equityUsd }))
    return { _tag: 'Folded', summary: this.summary, curve }
  }

  get trades(): RunTrades {
    const { fills, trips, unfilled, account } = this
    return { equities: this.curve.result(), fills, trips, unfilled, account, returns: this.figures.returns }
  }
}
