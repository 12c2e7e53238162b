import type { Chart, Format } from './chart/chart.js'
import { lineOf, tracesOf, type ChartData, type Span } from './chart/chart-data.js'
import { candles } from './price-candles.js'
import { recentWindow, timesOf } from './samples.js'
import { clockTime, shortPrice } from './texts.js'
import type { WatchedToken } from './watched-token.js'

/** The chart of a token: the prices of the last `rangeMs` until `now`, or those of a part of the time. */
export const chartOf = (
  { samples, threshold, fills }: Pick<WatchedToken, 'samples' | 'threshold' | 'fills'>,
  now: number,
  rangeMs: number,
  zoom: Span | undefined,
): Chart => {
  const data = samples.data(now, zoom === undefined ? rangeMs : now - zoom.from)
  const times = zoom ?? timesOf(data, now, rangeMs)
  return {
    data,
    times,
    kind: 'steps',
    ...(times.to - times.from > recentWindow && { shapes: candles }),
    isLive: zoom === undefined,
    levels: [threshold.above, threshold.below].filter((level) => level !== undefined),
    marks: fills.flatMap(({ at, text, mark }) =>
      mark === undefined
        ? []
        : [{ at, side: mark.side, value: mark.price, text: `${clockTime(at)} ${text}` }],
    ),
  }
}

/** Times are of the local clock, in ms. */
export const chartFormat: Format = {
  label: shortPrice,
  value: (price) => (price === null ? 'no price' : `${shortPrice(price)} USD`),
  time: (at) => `${clockTime(at)}.${String(Math.floor(at) % 1000).padStart(3, '0')}`,
  offset: (at) => -60_000 * new Date(at).getTimezoneOffset(),
}

/** Describes a chart to a screen reader. `fills`: their number. */
export const chartLabel = (range: Span | undefined, fills = 0): string =>
  range === undefined
    ? 'Chart without prices'
    : `Chart: lowest ${shortPrice(range.from)}, highest ${shortPrice(range.to)} USD${fills === 0 ? '' : `, fills: ${fills}`}`

/** Points of the line of a small chart. */
const linePoints = 60

/** Of a small chart, in its own units. */
export const lineSize = [100, 20] as const

/** The path of a small chart, with gaps. */
export const linePath = ({ times, values }: ChartData, { from, to }: Span, range: Span): string => {
  const every = Math.ceil(times.length / linePoints)
  // A gap, and the last price before it.
  const isEnd = (index: number): boolean => (values[index] ?? null) === null
  const isKept = (_: unknown, index: number) => index % every === 0 || isEnd(index) || isEnd(index + 1)
  const [width, height] = lineSize
  const traces = tracesOf(
    { times: times.filter(isKept), values: values.filter(isKept) },
    {
      x: (at) => Math.max(0, ((at - from) / (to - from)) * width),
      y: (price) => (range.to > range.from ? (range.to - price) / (range.to - range.from) : 0.5) * height,
    },
  )
  return lineOf(traces)
}
