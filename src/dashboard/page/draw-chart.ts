import { timeTicks, valueTicks } from '../../backtest/results/axis.js'
import { areaOf, partsOf, pathOf, type Place } from '../../backtest/results/line.js'
import { shortPrice } from '../../view/texts.js'
import {
  candlesOf,
  candleStep,
  gapsOf,
  indexAt,
  pointsOf,
  priceScale,
  type ChartRange,
} from '../../view/chart.js'
import type { ChartData, Scale } from '../../view/samples.js'
import type { FillEntry } from '../../view/served.js'

/** The names of the colours in the style sheet. `card`: behind the chart; `warn`: of a threshold. */
export const colourNames = ['line', 'fill', 'text', 'grid', 'gap', 'card', 'warn', 'up', 'down'] as const

export type ChartColours = Readonly<Record<(typeof colourNames)[number], string>>

export interface Chart {
  readonly data: ChartData
  readonly range: ChartRange
  /** The time that is shown, in ms since the Unix epoch. */
  readonly times: Scale
  /** False for a part of the past: its last price is not the last one. */
  readonly isLive: boolean
  readonly isCandles: boolean
  /** The time that a person selects. */
  readonly selection: Scale | undefined
  /** Prices with a line of their own, in USD. */
  readonly levels: readonly number[]
  /** Of an account, in the time that is shown. */
  readonly fills: readonly FillEntry[]
  /** The time of the crosshair, if there is one, in ms since the Unix epoch. */
  readonly cursor: number | undefined
}

/** Draws a chart of this size, in CSS pixels. Returns its area. */
export const drawChart = (
  context: CanvasRenderingContext2D,
  [width, height]: readonly [width: number, height: number],
  { data, range, times, isLive, isCandles, levels, cursor, selection, fills }: Chart,
  colours: ChartColours,
): Plot => {
  const last = isLive ? (data.prices.findLast((price) => price !== null) ?? null) : null
  const label = last === null ? '' : shortPrice(last)
  context.font = font
  context.lineWidth = 1
  const plotWidth = width - Math.max(priceAxisWidth, context.measureText(label).width + 3 * labelPadding)
  const step = isCandles ? candleStep(times, plotWidth / candleSpace) : 0
  // The candle of the current time is whole.
  const shown = { from: times.from, to: times.to + (isLive ? step : 0) }
  const prices = priceScale(range)
  const bottom = height - bottomAxis
  const plot: Plot = {
    ...{ context, colours, times: shown, prices, width: plotWidth, top: topMargin, bottom },
    x: (time) => ((time - shown.from) / (shown.to - shown.from)) * plotWidth,
    y: (price) => bottom - ((price - prices.from) / (prices.to - prices.from)) * (bottom - topMargin),
  }
  drawPriceAxis(plot, last)
  drawTimeAxis(plot)
  drawGaps(plot, data)
  if (isCandles) drawCandles(plot, data, step)
  else drawPrices(plot, data)
  for (const level of levels)
    if (level >= prices.from && level <= prices.to) drawLevel(plot, level, colours.warn, [6, 4])
  if (selection !== undefined) {
    context.fillStyle = colours.fill
    const left = plot.x(selection.from)
    context.fillRect(left, topMargin, plot.x(selection.to) - left, bottom - topMargin)
  }
  if (last !== null) drawLastPrice(plot, last, label, !isCandles && data.prices.at(-1) !== null)
  drawFills(plot, fills)
  if (cursor !== undefined) drawCursor(plot, data, cursor)
  return plot
}

/** The area of the prices, in CSS pixels, with its scales. */
export interface Plot extends Place {
  readonly context: CanvasRenderingContext2D
  readonly colours: ChartColours
  readonly width: number
  readonly top: number
  readonly bottom: number
  readonly times: Scale
  readonly prices: Scale
}

const [topMargin, bottomAxis] = [8, 20]

/** Least width of the price axis, in CSS pixels. A longer price has a wider axis, and covers no line. */
const priceAxisWidth = 70

/** The time at a distance from the left. */
export const timeAt = ({ times: { from, to }, width }: Plot, x: number): number =>
  from + (x / width) * (to - from)

/** The middle of the pixel, where a line of one pixel is sharp. */
const sharp = (position: number): number => Math.round(position) + 0.5

const font = '11px system-ui, sans-serif'

/** Draws a line from a place to another one. */
const line = (context: CanvasRenderingContext2D, from: [number, number], to: [number, number]): void => {
  context.moveTo(...from)
  context.lineTo(...to)
}

/** Usual distance of the marks of both axes, in CSS pixels. */
const [priceSpace, timeSpace] = [34, 76]

const maxPrices = 8

const drawPriceAxis = (plot: Plot, last: number | null): void => {
  const { context, colours, width, y } = plot
  const { top, bottom, prices } = plot
  const count = Math.min(maxPrices, (bottom - top) / priceSpace)
  // The label of the last price takes the place of others.
  const hasRoom = (price: number): boolean => last === null || Math.abs(y(price) - y(last)) > labelSpace
  context.strokeStyle = colours.grid
  context.fillStyle = colours.text
  context.textAlign = 'left'
  context.textBaseline = 'middle'
  context.beginPath()
  for (const { value, label } of valueTicks(prices.from, prices.to, count, hasRoom)) {
    const height = sharp(y(value))
    line(context, [0, height], [width, height])
    if (hasRoom(value)) context.fillText(label, width + 8, height)
  }
  context.stroke()
}

const drawTimeAxis = ({ context, colours, times: { from, to }, width, bottom, x }: Plot): void => {
  context.fillStyle = colours.text
  context.textAlign = 'center'
  context.textBaseline = 'top'
  const offset = -60_000 * new Date(to).getTimezoneOffset()
  for (const { value, label } of timeTicks(from, to, width / timeSpace, offset)) {
    // A text at the edge would be cut.
    if (x(value) > timeSpace / 3 && x(value) < width - timeSpace / 3)
      context.fillText(label, x(value), bottom + 6)
  }
}

/**
 * Draws the prices. Each price is valid until the next price; a time without a current price has no line. The line has
 * one pixel, because a browser without a graphics processor takes three times as long for one and a half.
 */
const drawPrices = ({ context, colours, bottom, x, y }: Plot, data: ChartData): void => {
  const place: Place = { x: (time) => sharp(x(time)), y: (price) => sharp(y(price)) }
  context.fillStyle = colours.fill
  context.strokeStyle = colours.line
  for (const part of partsOf(pointsOf(data), true)) {
    context.fill(new Path2D(areaOf(part, place, bottom, true)))
    context.stroke(new Path2D(pathOf(part, place, true)))
  }
}

/** Space between two candles that have as much as this, in CSS pixels. */
const candleSpace = 7

/** Draws a line from the lowest to the highest price of each step of time, and a box from its first to its last price. */
const drawCandles = ({ context, colours, times, x, y }: Plot, data: ChartData, step: number): void => {
  const size = Math.max(1, Math.round((x(times.from + step) * 5) / 7))
  for (const { from, open, high, low, close } of candlesOf(data, step)) {
    const middle = Math.max(0, Math.round(x(from + step / 2)))
    const [top, bottom] = [y(Math.max(open, close)), y(Math.min(open, close))]
    context.fillStyle = close < open ? colours.down : colours.up
    context.fillRect(middle - 0.5, y(high), 1, y(low) - y(high))
    context.fillRect(middle - size / 2, top, size, Math.max(1, bottom - top))
  }
}

/** Draws a dotted line at the last price, with the price at the axis, and a dot while it is current. */
const drawLastPrice = (plot: Plot, last: number, label: string, isCurrent: boolean): void => {
  const { context, colours, width } = plot
  const y = drawLevel(plot, last, colours.text, [1, 3])
  context.fillStyle = colours.line
  const left = width + labelPadding
  context.fillRect(left, y - 8.5, context.measureText(label).width + 2 * labelPadding, 17)
  if (isCurrent) drawDot(context, width, y)
  context.fillStyle = colours.card
  context.textAlign = 'left'
  context.textBaseline = 'middle'
  context.fillText(label, left + labelPadding, y)
}

const [labelPadding, labelSpace] = [4, 17]

const drawDot = (context: CanvasRenderingContext2D, x: number, y: number): void => {
  context.beginPath()
  context.arc(x, y, 3, 0, 2 * Math.PI)
  context.fill()
}

/** Draws a triangle whose tip is at the price of a fill: a buy points up from below, a sell points down from above. */
const drawFills = ({ context, colours, x, y }: Plot, fills: readonly FillEntry[]): void => {
  // Also a candle of the same colour is behind it.
  context.strokeStyle = colours.card
  context.lineWidth = 3
  for (const { at, mark } of fills) {
    if (mark === undefined) continue
    const triangle = new Path2D(`M${x(at)},${y(mark.price)}l-6,${mark.side === 'buy' ? 10 : -10}h12Z`)
    context.fillStyle = mark.side === 'buy' ? colours.up : colours.down
    context.stroke(triangle)
    context.fill(triangle)
  }
  context.lineWidth = 1
}

/** The newest fill whose mark is at a time. */
export const fillAt = ({ x }: Plot, fills: readonly FillEntry[], time: number): FillEntry | undefined =>
  fills.find(({ at }) => Math.abs(x(at) - x(time)) <= 6)

/** Draws a broken line at a price, over the width of the plot. Returns its y coordinate, in px. */
const drawLevel = (
  { context, width, y }: Plot,
  price: number,
  colour: string,
  dashes: readonly number[],
): number => {
  const height = sharp(y(price))
  context.strokeStyle = colour
  context.setLineDash(dashes)
  context.beginPath()
  line(context, [0, height], [width, height])
  context.stroke()
  context.setLineDash([])
  return height
}

/** Draws lines at the time and the price of the sample that holds at a time; without a current price, only at the time. */
const drawCursor = (
  { context, colours, width, top, bottom, x, y }: Plot,
  data: ChartData,
  time: number,
): void => {
  const index = indexAt(data, time)
  const price = data.prices[index] ?? null
  const left = Math.max(0, x(data.times[index] ?? time))
  context.strokeStyle = colours.text
  context.fillStyle = colours.text
  context.beginPath()
  line(context, [sharp(left), top], [sharp(left), bottom])
  if (price !== null) line(context, [0, sharp(y(price))], [width, sharp(y(price))])
  context.stroke()
  if (price !== null) drawDot(context, left, y(price))
}

const hatchStep = 7

const drawGaps = ({ context, colours, width, top, bottom, x }: Plot, data: ChartData): void => {
  const height = bottom - top
  const gaps = gapsOf(data)
  if (gaps.length === 0) return
  context.strokeStyle = colours.gap
  const area = new Path2D()
  for (const { from, to } of gaps) {
    const left = Math.max(0, x(from))
    area.rect(left, top, x(to) - left, height)
  }
  context.save()
  context.clip(area)
  context.beginPath()
  for (let left = -height; left < width; left += hatchStep)
    line(context, [left, bottom], [left + height, top])
  context.stroke()
  context.restore()
}
