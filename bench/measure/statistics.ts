/** What a row says of its rounds: the middle, and how far they are apart. */
export interface Spread {
  readonly median: number
  readonly lower: number
  readonly upper: number
}

/** The value below which such a share of the values lies, between neighbours in proportion. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * share
  const [below, above] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]]
  if (below === undefined || above === undefined) throw new Error('there is no middle of nothing')
  return below + (above - below) * (at - Math.floor(at))
}

/** The median and the quartiles. */
export const spreadOf = (values: readonly number[]): Spread => ({
  median: quantile(values, 0.5),
  lower: quantile(values, 0.25),
  upper: quantile(values, 0.75),
})

/** The first by the second, round by round: what the machine did to both is not in it. */
export const ratios = (over: readonly number[], under: readonly number[]): readonly number[] =>
  over.map((value, round) => value / (under[round] ?? NaN))
