import { timeStep } from '../backtest/results/axis.js'
import { partsOf, pathOf, type Point } from '../backtest/results/line.js'
import { shortPrice } from './texts.js'
import { dayWindow, minute, type ChartData, type Scale } from './samples.js'

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
export const candleStep = ({ from, to }: Scale, maxCount: number): number =>
  Math.max(minute, timeStep(to - from, maxCount) ?? dayWindow)

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

/** The prices as points of a line. */
export const pointsOf = ({ times, prices }: ChartData): readonly Point[] =>
  times.map((at, index) => ({ at, value: prices[index] ?? undefined }))

/** Points of the line of a small chart. */
const linePoints = 60

/** The path of a small chart, with gaps. */
export const linePath = (data: ChartData, { from, to }: Scale, { low, high }: ChartRange): string => {
  const every = Math.ceil(data.times.length / linePoints)
  const place = {
    x: (at: number) => Math.max(0, ((at - from) / (to - from)) * lineSize[0]),
    y: (price: number) => (high > low ? ((high - price) / (high - low)) * lineSize[1] : lineSize[1] / 2),
  }
  return partsOf(pointsOf(data))
    .map((part) => part.filter((_, index) => index % every === 0 || index === part.length - 1))
    .map((part) => pathOf(part, place))
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

/** Describes a chart to a screen reader. `fills`: their number. */
export const chartLabel = (range: ChartRange | undefined, fills = 0): string =>
  range === undefined
    ? 'Chart without prices'
    : `Chart: lowest ${shortPrice(range.low)}, highest ${shortPrice(range.high)} USD${fills === 0 ? '' : `, fills: ${fills}`}`
