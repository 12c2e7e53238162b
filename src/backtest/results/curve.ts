import type { Equity } from '../account/events.js'

export const maxPoints = 2_000

/** In constant memory: the first and last value; of each step of time the lowest and highest values, current and not, and prices. */
export class Curve {
  private first: Equity | undefined
  private last: Equity | undefined
  /** Those since they were last thinned are whole. */
  private points: Equity[] = []
  /** In ms. */
  private step = 1

  add(value: Equity): void {
    this.first ??= value
    this.last = value
    if (this.points.push(value) >= 2 * maxPoints) this.thin()
  }

  /** In order, at most `maxPoints`. */
  result(): readonly Equity[] {
    this.thin()
    const ends = [this.first, this.last].filter((end) => end !== undefined)
    return [...new Set([...ends.slice(0, 1), ...this.points, ...ends.slice(1)])]
  }

  private thin(): void {
    if (this.step > 1) this.points = extremes(this.points, this.step)
    while (this.points.length > maxPoints - 2) {
      this.step *= 2
      this.points = extremes(this.points, this.step)
    }
  }
}

/** In order: of each step of time the extremes of the values that are current, of those that are not, and of the current prices. */
const extremes = (values: readonly Equity[], step: number): Equity[] => {
  const kept = new Set<Equity>()
  /** By the symbol of a price; those of values by whether they are current. */
  const ends = new Map<string | boolean, Ends>()
  const keepEnds = (): void => {
    for (const { lowest, highest } of ends.values()) kept.add(lowest).add(highest)
    ends.clear()
  }
  const extend = (name: string | boolean, amount: number, value: Equity): void => {
    const end = ends.get(name)
    if (end === undefined) ends.set(name, { low: amount, lowest: value, high: amount, highest: value })
    else if (amount < end.low) [end.low, end.lowest] = [amount, value]
    else if (amount > end.high) [end.high, end.highest] = [amount, value]
  }
  let bucket: number | undefined
  for (const value of values) {
    const next = Math.floor(value.at / step)
    if (next !== bucket) keepEnds()
    bucket = next
    const { isCurrent, equityUsd, prices } = value
    extend(isCurrent, equityUsd, value)
    if (isCurrent)
      for (const symbol of Object.keys(prices).slice(0, maxTokens))
        extend(symbol, prices[symbol] ?? NaN, value)
  }
  keepEnds()
  return values.filter((value) => kept.has(value))
}

/** Of the values of a step of time, the first ones with the lowest and with the highest amount. */
interface Ends {
  low: number
  lowest: Equity
  high: number
  highest: Equity
}

/** Prices of more tokens have no extremes: a step of time would have as many values as a curve. */
const maxTokens = 50
