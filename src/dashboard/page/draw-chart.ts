import { clockTime, shortPrice, withCommas } from '../../view/texts.js'
import {
  candlesOf,
  candleStep,
  gapsOf,
  indexAt,
  priceScale,
  priceTicks,
  priceTickText,
  timeTicks,
  type ChartRange,
  type Ticks,
} from '../../view/chart.js'
import { minute, type ChartData, type Scale } from '../../view/samples.js'
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
  const label = last === null ? '' : withCommas(shortPrice(last))
  context.font = font
  const plotWidth = width - Math.max(priceAxisWidth, context.measureText(label).width + 3 * labelPadding)
  const step = isCandles ? candleStep(times, plotWidth / candleSpace) : 0
  const plot: Plot = {
    context,
    width: plotWidth,
    top: topMargin,
    bottom: height - bottomAxis,
    // The candle of the current time is whole.
    times: { from: times.from, to: times.to + (isLive ? step : 0) },
    prices: priceScale(range),
  }
  drawPriceAxis(plot, last, colours)
  drawTimeAxis(plot, colours)
  drawGaps(plot, data, colours)
  if (isCandles) drawCandles(plot, data, step, colours)
  else drawPrices(plot, data, colours)
  for (const level of levels) drawLevel(plot, level, colours)
  if (selection !== undefined) drawSelection(plot, selection, colours)
  if (last !== null) drawLastPrice(plot, last, label, !isCandles && data.prices.at(-1) !== null, colours)
  drawFills(plot, fills, colours)
  if (cursor !== undefined) drawCursor(plot, data, cursor, colours)
  return plot
}

/** The area of the prices, in CSS pixels, with its scales. */
export interface Plot {
  readonly context: CanvasRenderingContext2D
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

const xOf = ({ times: { from, to }, width }: Plot, time: number): number =>
  ((time - from) / (to - from)) * width

const yOf = ({ prices: { from, to }, top, bottom }: Plot, price: number): number =>
  bottom - ((price - from) / (to - from)) * (bottom - top)

/** The middle of the pixel, where a line of one pixel is sharp. */
const sharp = (position: number): number => Math.round(position) + 0.5

const font = '11px system-ui, sans-serif'

/** Usual distance of the marks of prices, and the least ones of both axes, in CSS pixels. */
const [priceSpace, leastPriceSpace, timeSpace] = [34, 14, 72]

const [maxPrices, minLabels] = [8, 3]

/** The least number of marks of which three have a label: that of the last price takes the place of others. */
const priceMarks = (plot: Plot, isFree: (price: number) => boolean): Ticks => {
  const { top, bottom, prices } = plot
  const most = (bottom - top) / leastPriceSpace
  for (let count = Math.min(maxPrices, (bottom - top) / priceSpace); ; count += 1) {
    const marks = priceTicks(prices, count)
    if (count >= most || marks.values.filter(isFree).length >= minLabels) return marks
  }
}

const drawPriceAxis = (plot: Plot, last: number | null, { grid, text }: ChartColours): void => {
  const { context, width } = plot
  const isFree = (price: number): boolean =>
    last === null || Math.abs(yOf(plot, price) - yOf(plot, last)) > labelSpace
  const { step, values } = priceMarks(plot, isFree)
  context.lineWidth = 1
  context.strokeStyle = grid
  context.fillStyle = text
  context.textAlign = 'left'
  context.textBaseline = 'middle'
  context.beginPath()
  for (const price of values) {
    const y = sharp(yOf(plot, price))
    context.moveTo(0, y)
    context.lineTo(width, y)
    if (isFree(price)) context.fillText(priceTickText(price, step), width + 8, y)
  }
  context.stroke()
}

const drawTimeAxis = (plot: Plot, { text }: ChartColours): void => {
  const { context, width, bottom } = plot
  context.fillStyle = text
  context.textAlign = 'center'
  context.textBaseline = 'top'
  const { step, values } = timeTicks(plot.times, width / timeSpace)
  for (const time of values) {
    const x = xOf(plot, time)
    // A text at the edge would be cut.
    if (x > timeSpace / 3 && x < width - timeSpace / 3)
      context.fillText(clockTime(time).slice(0, step < minute ? 8 : 5), x, bottom + 6)
  }
}

/**
 * Draws the prices. Each price is valid until the next price; a time without a current price has no line. The line has
 * one pixel, because a browser without a graphics processor takes three times as long for one and a half.
 */
const drawPrices = (plot: Plot, data: ChartData, { line, fill }: ChartColours): void => {
  const { context, bottom } = plot
  const path = new Path2D()
  const area = new Path2D()
  let y: number | undefined
  data.prices.forEach((price, index) => {
    const x = sharp(xOf(plot, data.times[index] ?? 0))
    if (y !== undefined) {
      path.lineTo(x, y)
      area.lineTo(x, y)
    }
    if (price === null) {
      if (y !== undefined) area.lineTo(x, bottom)
      y = undefined
      return
    }
    const next = sharp(yOf(plot, price))
    if (y === undefined) {
      path.moveTo(x, next)
      area.moveTo(x, bottom)
    } else path.lineTo(x, next)
    area.lineTo(x, next)
    y = next
  })
  if (y !== undefined) area.lineTo(sharp(xOf(plot, data.times.at(-1) ?? 0)), bottom)
  context.fillStyle = fill
  context.fill(area)
  context.strokeStyle = line
  context.lineWidth = 1
  context.stroke(path)
}

/** Space between two candles that have as much as this, in CSS pixels. */
const candleSpace = 7

/** Draws a line from the lowest to the highest price of each step of time, and a box from its first to its last price. */
const drawCandles = (plot: Plot, data: ChartData, step: number, { up, down }: ChartColours): void => {
  const { context, times } = plot
  const size = Math.max(1, Math.round((xOf(plot, times.from + step) * 5) / 7))
  for (const { from, open, high, low, close } of candlesOf(data, step)) {
    const middle = Math.max(0, Math.round(xOf(plot, from + step / 2)))
    const [top, bottom] = [yOf(plot, Math.max(open, close)), yOf(plot, Math.min(open, close))]
    context.fillStyle = close < open ? down : up
    context.fillRect(middle - 0.5, yOf(plot, high), 1, yOf(plot, low) - yOf(plot, high))
    context.fillRect(middle - size / 2, top, size, Math.max(1, bottom - top))
  }
}

const drawSelection = (plot: Plot, { from, to }: Scale, { fill }: ChartColours): void => {
  const { context, top, bottom } = plot
  const [left, right] = [xOf(plot, from), xOf(plot, to)]
  context.fillStyle = fill
  context.fillRect(left, top, right - left, bottom - top)
}

/** Draws a dotted line at the last price, with the price at the axis, and a dot while it is current. */
const drawLastPrice = (
  plot: Plot,
  last: number,
  label: string,
  isCurrent: boolean,
  { line, text, card }: ChartColours,
): void => {
  const { context, width } = plot
  const y = drawLevelLine(plot, last, text, [1, 3])
  context.fillStyle = line
  const left = width + labelPadding
  context.fillRect(left, y - 8.5, context.measureText(label).width + 2 * labelPadding, 17)
  if (isCurrent) drawDot(context, width, y)
  context.fillStyle = card
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
const drawFills = (plot: Plot, fills: readonly FillEntry[], { up, down, card }: ChartColours): void => {
  const { context } = plot
  context.strokeStyle = card
  context.lineWidth = 3
  for (const { at, mark } of fills) {
    if (mark === undefined) continue
    const [x, y] = [xOf(plot, at), yOf(plot, mark.price)]
    const base = mark.side === 'buy' ? y + 10 : y - 10
    context.fillStyle = mark.side === 'buy' ? up : down
    context.beginPath()
    context.moveTo(x, y)
    context.lineTo(x - 6, base)
    context.lineTo(x + 6, base)
    context.closePath()
    // Also a candle of the same colour is behind it.
    context.stroke()
    context.fill()
  }
}

/** The newest fill whose mark is at a time. */
export const fillAt = (plot: Plot, fills: readonly FillEntry[], time: number): FillEntry | undefined =>
  fills.find(({ at }) => Math.abs(xOf(plot, at) - xOf(plot, time)) <= 6)

/** Draws a dashed line at a threshold that is within the scale. */
const drawLevel = (plot: Plot, price: number, { warn }: ChartColours): void => {
  if (price < plot.prices.from || price > plot.prices.to) return
  drawLevelLine(plot, price, warn, [6, 4])
}

/** Draws a broken line at a price, over the width of the plot. Returns its y coordinate, in px. */
const drawLevelLine = (plot: Plot, price: number, colour: string, dashes: readonly number[]): number => {
  const { context, width } = plot
  const y = sharp(yOf(plot, price))
  context.strokeStyle = colour
  context.lineWidth = 1
  context.setLineDash(dashes)
  context.beginPath()
  context.moveTo(0, y)
  context.lineTo(width, y)
  context.stroke()
  context.setLineDash([])
  return y
}

/** Draws lines at the time and the price of the sample that holds at a time; without a current price, only at the time. */
const drawCursor = (plot: Plot, data: ChartData, time: number, { text }: ChartColours): void => {
  const { context, width, top, bottom } = plot
  const index = indexAt(data, time)
  const price = data.prices[index] ?? null
  const x = Math.max(0, xOf(plot, data.times[index] ?? time))
  context.strokeStyle = text
  context.fillStyle = text
  context.lineWidth = 1
  context.beginPath()
  context.moveTo(sharp(x), top)
  context.lineTo(sharp(x), bottom)
  if (price !== null) {
    context.moveTo(0, sharp(yOf(plot, price)))
    context.lineTo(width, sharp(yOf(plot, price)))
  }
  context.stroke()
  if (price !== null) drawDot(context, x, yOf(plot, price))
}

const hatchStep = 7

const drawGaps = (plot: Plot, data: ChartData, { gap }: ChartColours): void => {
  const { context, width, top, bottom } = plot
  const height = bottom - top
  const gaps = gapsOf(data)
  if (gaps.length === 0) return
  context.strokeStyle = gap
  context.lineWidth = 1
  const area = new Path2D()
  for (const { from, to } of gaps) {
    const left = Math.max(0, xOf(plot, from))
    area.rect(left, top, xOf(plot, to) - left, height)
  }
  context.save()
  context.clip(area)
  context.beginPath()
  for (let x = -height; x < width; x += hatchStep) {
    context.moveTo(x, bottom)
    context.lineTo(x + height, top)
  }
  context.stroke()
  context.restore()
}
