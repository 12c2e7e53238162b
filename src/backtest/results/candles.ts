import { timeStep } from './axis.js'
import type { ChartData, Span } from './chart-data.js'

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
