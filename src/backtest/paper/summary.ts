import { numberOption } from '../../base/option-kinds/number-option.js'
import type { OptionTable } from '../../base/option-kinds/option.js'
import { parseOptions } from '../../base/option-kinds/parse-options.js'
import { exact, priceDigits } from './exact.js'
import { Holding } from './token-state.js'
import type { Equity, Filled, PaperEvent } from './events.js'

/** The figures of a run. USD. `null` where a figure has no meaning, such as a share of no trades. */
export interface Summary {
  /** The last `Equity` less the first. */
  readonly profitUsd: number | null
  /** `profitUsd` as a share of the first `Equity`. */
  readonly returnRatio: number | null
  /** The largest fall from a higher `Equity` before, as a share of that. */
  readonly maxDrawdown: number | null
  /** Mean / deviation of the returns between two samples, not per year. */
  readonly sharpe: number | null
  /** Mean / root of the mean square of the negative returns between two samples, others as 0; not per year. */
  readonly sortino: number | null
  /** The distance of two samples, in ms. */
  readonly sampleMs: number
  /** The share of the time in which there was a position. */
  readonly exposure: number | null
  /** The number of fills that reduced a position. */
  readonly trades: number
  /** The share of `trades` at a better price than the average of the position. */
  readonly winRate: number | null
  readonly feesUsd: number
  readonly slippageUsd: number
  /** The sum of the values of all fills. */
  readonly turnoverUsd: number
  /** The time in which the price of a token that was held was not current, in ms. */
  readonly notCurrentMs: number
}

export interface SummaryOptions {
  /** The distance of two samples for `sharpe` and `sortino`, in ms. Default: 60000. */
  readonly sampleMs?: number
}

export const summaryTable = {
  sampleMs: numberOption({ unit: 'ms', min: 1, max: 1e12, default: 60_000 }),
} satisfies OptionTable<SummaryOptions>

/**
 * The figures of the events of one run, or of all runs of one journal. Throws a `ConfigurationError` for an invalid
 * `sampleMs`, and a misspelt option name.
 *
 * @example
 * import type { PaperEvent } from 'svc-streams/paper'
 * const print = (events: readonly PaperEvent[]) => console.log(summaryOf(events))
 */
export const summaryOf = (events: readonly PaperEvent[], options: SummaryOptions = {}): Summary => {
  const { sampleMs } = parseOptions(summaryTable, options, { allowsUndefined: true })
  const equities = events.filter((event) => event._tag === 'Equity')
  const fills = events.filter((event) => event._tag === 'Filled')
  const [first, last] = [equities[0], equities.at(-1)]
  const profitUsd = first && last ? last.equityUsd - first.equityUsd : null
  const { trades, heldMs } = positionsOf(fills, first?.at ?? 0, last?.at ?? 0)
  return {
    profitUsd,
    returnRatio: first && profitUsd !== null ? ratio(profitUsd, first.equityUsd) : null,
    maxDrawdown: maxDrawdownOf(equities),
    ...ratiosOf(returnsOf(equities, sampleMs)),
    sampleMs,
    exposure: first && last ? ratio(heldMs, last.at - first.at) : null,
    trades: trades.length,
    winRate: ratio(trades.filter((isWon) => isWon).length, trades.length),
    feesUsd: sumOf(fills.map(({ feeUsd }) => feeUsd)),
    slippageUsd: sumOf(fills.map(({ slippageUsd }) => slippageUsd)),
    turnoverUsd: sumOf(fills.map(({ valueUsd }) => valueUsd)),
    notCurrentMs: notCurrentMsOf(equities),
  }
}

const ratio = (dividend: number, divisor: number): number | null => (divisor > 0 ? dividend / divisor : null)

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

const maxDrawdownOf = (equities: readonly Equity[]): number | null => {
  let highest = 0
  let drawdown: number | null = null
  for (const { equityUsd } of equities) {
    highest = Math.max(highest, equityUsd)
    if (highest > 0) drawdown = Math.max(drawdown ?? 0, (highest - equityUsd) / highest)
  }
  return drawdown
}

/** The returns between samples. Those of 0 in a time without an `Equity` are counted, not listed. */
interface Returns {
  readonly listed: readonly number[]
  readonly zeros: number
}

/** Undefined if a return has no meaning, because it starts at a value of 0 or less. */
const returnsOf = (equities: readonly Equity[], sampleMs: number): Returns | undefined => {
  const listed: number[] = []
  let zeros = 0
  let sample: number | undefined
  for (const [index, { at, equityUsd }] of equities.entries()) {
    const until = equities[index + 1]?.at ?? at + 1
    const first = Math.ceil(at / sampleMs)
    // The multiples from this `Equity` on, before the next one.
    const count = Math.ceil(until / sampleMs) - first
    if (count <= 0) continue
    if (sample !== undefined) listed.push(equityUsd / sample - 1)
    if (equityUsd <= 0) return undefined
    zeros += count - 1
    sample = equityUsd
  }
  return { listed, zeros }
}

const ratiosOf = (returns: Returns | undefined): Pick<Summary, 'sharpe' | 'sortino'> => {
  const count = returns === undefined ? 0 : returns.listed.length + returns.zeros
  if (returns === undefined || count === 0) return { sharpe: null, sortino: null }
  const { listed, zeros } = returns
  const mean = sumOf(listed) / count
  const squares = sumOf(listed.map((each) => (each - mean) ** 2)) + zeros * mean ** 2
  const deviation = Math.sqrt(squares / count)
  const downside = Math.sqrt(sumOf(listed.map((each) => Math.min(each, 0) ** 2)) / count)
  // A smaller deviation is the rounding of equal returns.
  return {
    sharpe: deviation > Math.abs(mean) * 1e-12 ? mean / deviation : null,
    sortino: ratio(mean, downside),
  }
}

/**
 * `trades`: for each fill that reduces a position, whether its price is better than the average. `heldMs`: the time with a
 * position.
 */
const positionsOf = (fills: readonly Filled[], from: number, to: number) => {
  const holdings = new Map<string, Holding>()
  const trades: boolean[] = []
  let heldMs = 0
  let since: number | undefined
  for (const { symbol, side, price, quantity, at } of fills) {
    const holding = holdings.get(symbol) ?? new Holding()
    holdings.set(symbol, holding)
    const unit = exact(price, priceDigits)
    // Both signs of a position: a sale of a long one, and a purchase for a short one.
    if (holding.isReducedBy(side)) trades.push(unit * holding.quantity > holding.cost)
    holding.trade(side, quantity, unit * quantity)
    const isHeld = [...holdings.values()].some((each) => each.quantity !== 0n)
    if (isHeld) since ??= Math.max(at, from)
    else if (since !== undefined) {
      heldMs += at - since
      since = undefined
    }
  }
  return { trades, heldMs: since === undefined ? heldMs : heldMs + to - since }
}

const notCurrentMsOf = (equities: readonly Equity[]): number =>
  sumOf(equities.map(({ at, isCurrent }, index) => (isCurrent ? 0 : (equities[index + 1]?.at ?? at) - at)))
