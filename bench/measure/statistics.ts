/** The median and the quartiles of a figure over the rounds. */
export interface Spread {
  readonly median: number
  readonly lower: number
  readonly upper: number
}

/** The quantile of the values, interpolated linearly. `share` is from 0 to 1. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const position = (sorted.length - 1) * share
  const [below, above] = [sorted[Math.floor(position)], sorted[Math.ceil(position)]]
  if (below === undefined || above === undefined) throw new Error('no values')
  return below + (above - below) * (position - Math.floor(position))
}

export const spreadOf = (values: readonly number[]): Spread => ({
  median: quantile(values, 0.5),
  lower: quantile(values, 0.25),
  upper: quantile(values, 0.75),
})

/** The ratios within each round, so that a slow round affects both values. */
export const ratios = (numerators: readonly number[], denominators: readonly number[]): readonly number[] =>
  numerators.map((value, round) => value / (denominators[round] ?? NaN))
