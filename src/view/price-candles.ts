import { timeStep } from './chart/axis.js'
import { round, type ChartData, type Span } from './chart/chart-data.js'
import type { Plane, Shapes } from './chart/chart.js'

/** Candles in place of the line of a chart. */
export const candles: Shapes = {
  stepOf: (times, width) => candleStep(times, width / candleSpace),
  layersOf: (plane, part, step) => candleLayers(plane, part, step),
}

/** Space between two candles that have as much as this, in CSS pixels. */
const candleSpace = 7

/** A line from the lowest to the highest value of each step of time, and a box from its first to its last value. */
const candleLayers = ({ times, x, y }: Plane, part: ChartData, step: number) => {
  const half = Math.max(1, Math.round(((x(times.from + step) - x(times.from)) * 5) / 14))
  const paths = { up: '', down: '' }
  for (const { from, open, high, low, close } of candlesOf(part, step)) {
    const middle = Math.round(x(from + step / 2))
    // The edge would cut it, and its width is a part of what it shows.
    if (middle < half) continue
    const box = `M${middle - half},${round(y(open))}h${2 * half}V${round(y(close))}h${-2 * half}Z`
    paths[close < open ? 'down' : 'up'] += `M${middle},${round(y(high))}V${round(y(low))}${box}`
  }
  return paths
}

/** The first, the highest, the lowest and the last value of a step of time. */
export interface Candle {
  /** In ms since the Unix epoch. */
  readonly from: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}

const [minute, day] = [60_000, 86_400_000]

/** The time of a candle, in ms: a minute, or more if there would be more than `maxCount` of them. */
export const candleStep = ({ from, to }: Span, maxCount: number): number =>
  Math.max(minute, timeStep(to - from, maxCount) ?? day)

/** A value holds until the next one: a candle opens with the last value of the one before, unless there is a gap between. */
export const candlesOf = ({ times, values }: ChartData, step: number): readonly Candle[] => {
  const candles: Candle[] = []
  let held: number | null = null
  times.forEach((time, index) => {
    const value = values[index] ?? null
    const from = Math.floor(time / step) * step
    const last = candles.at(-1)
    if (value !== null && last?.from === from) {
      const [low, high] = [Math.min(last.low, value), Math.max(last.high, value)]
      candles.splice(-1, 1, { ...last, low, high, close: value })
    } else if (value !== null) {
      const open: number = held ?? value
      candles.push({ from, open, low: Math.min(open, value), high: Math.max(open, value), close: value })
    }
    held = value
  })
  return candles
}
