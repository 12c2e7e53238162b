import { digitGroups, shortPrice, withNarrowSpaces, withoutSeparators } from '../../display/numbers.js'
import type { ChartRange } from './chart-samples.js'

/** The part of an axis that a chart shows. Times are in ms since the Unix epoch, prices in USD. */
export interface Scale {
  readonly from: number
  readonly to: number
}

/** The least and the largest width of a chart, in ms. */
const [minWidth, maxWidth] = [1_000, 300_000]

/** The line takes the whole width. `spanMs`: the time that the samples take. */
export const timeScale = (now: number, spanMs: number): Scale => ({
  from: now - Math.min(maxWidth, Math.max(minWidth, spanMs)),
  to: now,
})

/** The least height of a chart, as a share of the price: a very small move must not look like a large one. */
const minHeight = 0.0002

/** The prices of a chart, with a margin. */
export const priceScale = ({ low, high }: ChartRange): Scale => {
  const half = Math.max(high - low, high * minHeight) * 0.6
  const middle = low + (high - low) / 2
  return { from: middle - half, to: middle + half }
}

export interface Ticks {
  readonly step: number
  readonly values: readonly number[]
}

/** Marks at multiples of 1, 2 or 5 times a power of ten, at most `maxCount` of them. */
export const priceTicks = ({ from, to }: Scale, maxCount: number): Ticks => {
  const rough = (to - from) / maxCount
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10)
  return ticksOf({ from, to }, step)
}

const timeSteps = [1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000] as const

/** Marks at multiples of a step of the clock, at most `maxCount` of them. */
export const timeTicks = (scale: Scale, maxCount: number): Ticks =>
  ticksOf(scale, timeSteps.find((step) => (scale.to - scale.from) / step <= maxCount) ?? maxWidth)

const ticksOf = ({ from, to }: Scale, step: number): Ticks => {
  const first = Math.ceil(from / step)
  const count = Math.max(0, Math.floor(to / step) - first + 1)
  return { step, values: Array.from({ length: count }, (_, index) => (first + index) * step) }
}

/** A time without a current price. */
export interface Gap {
  readonly from: number
  readonly to: number
}

/** The gaps of the samples; one that lasts until the last time ends there. */
export const gapsOf = (times: readonly number[], prices: readonly (number | null)[]): readonly Gap[] =>
  prices.flatMap((price, index) => {
    const from = times[index]
    const to = times[index + 1]
    return price === null && from !== undefined && to !== undefined && to > from ? [{ from, to }] : []
  })

/** Text of the price axis, with the decimals of its steps. */
export const priceTickText = (price: number, step: number): string => {
  const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9))
  return Math.abs(price) < 1e9 && decimals <= 9
    ? withNarrowSpaces(digitGroups(price.toFixed(decimals)))
    : price.toExponential(2)
}

/** Describes a chart to a screen reader. */
export const chartLabel = (range: ChartRange | undefined): string =>
  range === undefined
    ? 'Chart without prices'
    : `Chart: lowest ${withoutSeparators(shortPrice(range.low))}, highest ${withoutSeparators(shortPrice(range.high))} USD`
