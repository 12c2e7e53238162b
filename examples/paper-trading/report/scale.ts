/** An axis with round ticks. */
export interface Axis {
  readonly min: number
  readonly max: number
  readonly ticks: readonly number[]
  /** The distance of two ticks. */
  readonly step: number
}

/** Maps a value of an axis to a coordinate, rounded to a tenth. */
export type Scale = (value: number) => number

/**
 * An axis that contains all values, with at most `count` steps: the smallest sufficient one of `steps`, in ascending
 * order, or, for steps of half the first or less, and beyond the last, 1, 2 or 5 times a power of ten.
 */
export const axisOf = (values: readonly number[], count: number, steps: readonly number[] = []): Axis => {
  const [low, high] = values.reduce(
    ([min, max], value) => [Math.min(min, value), Math.max(max, value)],
    [values[0] ?? 0, values[0] ?? 0],
  )
  const step = stepOf((high - low || 1) / count, steps)
  const first = Math.ceil(low / step)
  const last = Math.floor(high / step)
  const ticks = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step)
  return { min: low, max: high === low ? low + 1 : high, ticks, step }
}

const stepOf = (least: number, steps: readonly number[]): number => {
  const isWithin = least > (steps[0] ?? Infinity) / 2
  return (isWithin ? steps.find((each) => each >= least) : undefined) ?? roundStep(least)
}

const roundStep = (least: number): number => {
  const power = 10 ** Math.floor(Math.log10(least))
  const factor = [1, 2, 5, 10].find((each) => each * power >= least) ?? 10
  return factor * power
}

export const scaleOf =
  ({ min, max }: Axis, from: number, to: number): Scale =>
  (value) =>
    Math.round((from + ((value - min) / (max - min)) * (to - from)) * 10) / 10
