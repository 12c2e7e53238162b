import { digitGroups, shortPrice, withCommas, withoutSeparators } from './texts.js'
import { minute, type ChartData, type Scale } from './samples.js'

export interface ChartRange {
  readonly low: number
  readonly high: number
}

/** The samples of a part of the time, with the one that holds at its start; the last one ends at its end. */
export const partOf = ({ times, prices }: ChartData, { from, to }: Scale): ChartData => {
  const indexOf = (limit: number): number => times.findLastIndex((time) => time <= limit)
  const [start, end] = [Math.max(0, indexOf(from)), indexOf(to) + 1]
  const isCut = start < end && end < times.length
  return {
    times: [...times.slice(start, end), ...(isCut ? [to] : [])],
    prices: [...prices.slice(start, end), ...(isCut ? [prices[end - 1] ?? null] : [])],
  }
}

/** The lowest and the highest price; `undefined` without a price. */
export const rangeOf = (prices: ChartData['prices']): ChartRange | undefined => {
  let [low, high] = [Infinity, -Infinity]
  for (const price of prices) {
    if (price === null) continue
    if (price < low) low = price
    if (price > high) high = price
  }
  return low > high ? undefined : { low, high }
}

/** The index of the sample that is valid at a time; before the first sample, the index of the first one. */
export const indexAt = ({ times }: Pick<ChartData, 'times'>, time: number): number => {
  // The last sample is the end of the one before.
  const next = times.slice(0, -1).findLastIndex((each) => each <= time)
  return Math.max(0, next)
}

/** The least height of a chart, as a share of the price: a very small move must not look like a large one. */
const minHeight = 0.0002

/** The prices of a chart, with a margin. */
export const priceScale = ({ low, high }: ChartRange): Scale => {
  const half = Math.max(high - low, high * minHeight) * 0.6
  const middle = low + (high - low) / 2
  return { from: middle - half, to: middle + half }
}

/** The highest, the lowest, the first and the last price of a step of time, in USD. */
export interface Bar extends ChartRange {
  /** In ms since the Unix epoch. */
  readonly from: number
  readonly open: number
  readonly close: number
}

/** The time of a candle, in ms: a minute, or more if there would be more than `maxCount` of them. */
export const candleStep = (scale: Scale, maxCount: number): number =>
  Math.max(minute, timeStep(scale, maxCount))

/**
 * The candles of a chart, each of `step` ms. A price holds until the next one: a candle opens with the last price of the one
 * before, unless there is a gap between.
 */
export const candlesOf = ({ times, prices }: ChartData, step: number): readonly Bar[] => {
  const bars: Bar[] = []
  let held: number | null = null
  times.forEach((time, index) => {
    const price = prices[index] ?? null
    const from = Math.floor(time / step) * step
    const bar = bars.at(-1)
    if (price !== null && bar?.from === from) {
      bars.splice(-1, 1, {
        ...bar,
        low: Math.min(bar.low, price),
        high: Math.max(bar.high, price),
        close: price,
      })
    } else if (price !== null) {
      const open: number = held ?? price
      bars.push({ from, open, low: Math.min(open, price), high: Math.max(open, price), close: price })
    }
    held = price
  })
  return bars
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

const timeSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400]

/** Marks at multiples of a step of the clock, at most `maxCount` of them. */
export const timeTicks = (scale: Scale, maxCount: number): Ticks => ticksOf(scale, timeStep(scale, maxCount))

/** The least step of the clock that a time has at most `maxCount` of. In ms. */
const timeStep = ({ from, to }: Scale, maxCount: number): number =>
  1000 * (timeSteps.find((step) => (to - from) / step / 1000 <= maxCount) ?? 28_800)

const ticksOf = ({ from, to }: Scale, step: number): Ticks => {
  const first = Math.ceil(from / step)
  const count = Math.max(0, Math.floor(to / step) - first + 1)
  return { step, values: Array.from({ length: count }, (_, index) => (first + index) * step) }
}

/** Points of the line of a small chart. */
const linePoints = 60

/** A path in SVG: a line of prices in an area of this size, with gaps. */
export const linePath = (
  { times, prices }: ChartData,
  { from, to }: Scale,
  { low, high }: ChartRange,
): string => {
  const every = Math.ceil(times.length / linePoints)
  let isDown = false
  return times
    .map((time, index) => {
      const price = prices[index] ?? null
      if (price !== null && index % every !== 0 && index < times.length - 1 && isDown) return ''
      const command = isDown ? 'L' : 'M'
      isDown = price !== null
      if (price === null) return ''
      const x = Math.max(0, ((time - from) / (to - from)) * lineSize[0])
      const y = high > low ? ((high - price) / (high - low)) * lineSize[1] : lineSize[1] / 2
      return `${command}${x.toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
}

/** Of a small chart, in its own units. */
export const lineSize = [100, 20] as const

/** The times without a current price; one that lasts until the last time ends there. */
export const gapsOf = ({ times, prices }: ChartData): readonly Scale[] =>
  prices.flatMap((price, index) => {
    const from = times[index]
    const to = times[index + 1]
    return price === null && from !== undefined && to !== undefined && to > from ? [{ from, to }] : []
  })

/** Text of the price axis, with the digits of its steps. */
export const priceTickText = (price: number, step: number): string => {
  const decimals = decimalsOf(step)
  return Math.abs(price) < 1e9 && decimals <= 9
    ? withCommas(digitGroups(price.toFixed(Math.max(0, decimals))))
    : price.toExponential(Math.max(0, decimals - decimalsOf(Math.abs(price) || step))).replace('+', '')
}

/** Of a number such as 0.02, which has 2; of 200 it is -2. */
const decimalsOf = (value: number): number => -Math.floor(Math.log10(value) + 1e-9)

/** Describes a chart to a screen reader. `fills`: their number. */
export const chartLabel = (range: ChartRange | undefined, fills = 0): string =>
  range === undefined
    ? 'Chart without prices'
    : `Chart: lowest ${withoutSeparators(shortPrice(range.low))}, highest ${withoutSeparators(shortPrice(range.high))} USD${fills === 0 ? '' : `, fills: ${fills}`}`
