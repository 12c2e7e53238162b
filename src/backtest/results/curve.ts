import type { Equity } from '../account/events.js'

export const maxPoints = 2_000

/** In constant memory: the first and last value; of each step of time the lowest and highest current value and price, and one not current. */
export class Curve {
  private first: Equity | undefined
  private last: Equity | undefined
  private points: readonly Equity[] = []
  /** Those after `points`. */
  private added: Equity[] = []
  /** In ms. */
  private step = 1

  add(value: Equity): void {
    this.first ??= value
    this.last = value
    if (this.added.push(value) >= maxPoints) this.thin()
  }

  /** In order, at most `maxPoints`. */
  result(): readonly Equity[] {
    this.thin()
    const ends = [this.first, this.last].filter((end) => end !== undefined)
    return [...new Set([...ends.slice(0, 1), ...this.points, ...ends.slice(1)])]
  }

  private thin(): void {
    const all = [...this.points, ...this.added]
    let points = this.step === 1 ? all : extremes(all, this.step)
    while (points.length > maxPoints - 2) {
      this.step *= 2
      points = extremes(points, this.step)
    }
    this.points = points
    this.added = []
  }
}

const extremes = (values: readonly Equity[], step: number): Equity[] => {
  const buckets = new Map<number, Equity[]>()
  for (const value of values) {
    const number = Math.floor(value.at / step)
    const bucket = buckets.get(number)
    if (bucket === undefined) buckets.set(number, [value])
    else bucket.push(value)
  }
  return [...buckets.values()].flatMap((bucket) => {
    const current = bucket.filter(({ isCurrent }) => isCurrent)
    const kept = new Set([
      ...endsOf(current, ({ equityUsd }) => equityUsd),
      ...Object.keys(current[0]?.prices ?? {}).flatMap((symbol) =>
        endsOf(current, ({ prices }) => prices[symbol] ?? NaN),
      ),
      bucket.find(({ isCurrent }) => !isCurrent),
    ])
    return bucket.filter((value) => kept.has(value))
  })
}

/** The first ones with the lowest and with the highest amount. */
const endsOf = (values: readonly Equity[], amountOf: (value: Equity) => number): readonly Equity[] => {
  let [lowest, highest] = [values[0], values[0]]
  for (const value of values) {
    if (lowest === undefined || amountOf(value) < amountOf(lowest)) lowest = value
    if (highest === undefined || amountOf(value) > amountOf(highest)) highest = value
  }
  return [lowest, highest].filter((each) => each !== undefined)
}
