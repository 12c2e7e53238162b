import { clockTime } from '../../display/texts.js'
import type { ChartData, ChartRange } from '../model/chart-samples.js'
import {
  gapsOf,
  priceScale,
  priceTicks,
  priceTickText,
  timeScale,
  timeTicks,
  type Scale,
} from '../model/chart-scale.js'

export interface ChartColours {
  readonly line: string
  readonly fill: string
  readonly text: string
  readonly grid: string
  readonly gap: string
}

export interface Chart {
  readonly data: ChartData
  readonly range: ChartRange
  /** In ms since the Unix epoch. */
  readonly now: number
  /** The time that the samples span, in ms. */
  readonly spanMs: number
}

/** Draws a chart of this size, in CSS pixels. */
export const drawChart = (
  context: CanvasRenderingContext2D,
  [width, height]: readonly [width: number, height: number],
  { data, range, now, spanMs }: Chart,
  colours: ChartColours,
): void => {
  const plot: Plot = {
    context,
    width: width - priceAxisWidth,
    top: topMargin,
    bottom: height - bottomAxis,
    times: timeScale(now, spanMs),
    prices: priceScale(range),
  }
  drawAxes(plot, colours)
  drawGaps(plot, data, colours)
  drawPrices(plot, data, colours)
  drawLastPrice(plot, data, colours)
}

/** The area of the prices, in CSS pixels, with its scales. */
interface Plot {
  readonly context: CanvasRenderingContext2D
  readonly width: number
  readonly top: number
  readonly bottom: number
  readonly times: Scale
  readonly prices: Scale
}

const [topMargin, bottomAxis] = [8, 20]

/** Width of the price axis, in CSS pixels. */
const priceAxisWidth = 70

const xOf = ({ times: { from, to }, width }: Plot, time: number): number =>
  ((time - from) / (to - from)) * width

const yOf = ({ prices: { from, to }, top, bottom }: Plot, price: number): number =>
  bottom - ((price - from) / (to - from)) * (bottom - top)

/** The middle of the pixel, where a line of one pixel is sharp. */
const sharp = (position: number): number => Math.round(position) + 0.5

const font = '11px system-ui, sans-serif'

/** Least distance of the marks, in CSS pixels. */
const [priceSpace, timeSpace] = [34, 72]

const maxPrices = 8

const drawAxes = (plot: Plot, colours: ChartColours): void => {
  plot.context.font = font
  plot.context.lineWidth = 1
  drawPriceAxis(plot, colours)
  drawTimeAxis(plot, colours)
}

const drawPriceAxis = (plot: Plot, { grid, text }: ChartColours): void => {
  const { context, width, top, bottom } = plot
  const { step, values } = priceTicks(plot.prices, Math.min(maxPrices, (bottom - top) / priceSpace))
  context.strokeStyle = grid
  context.fillStyle = text
  context.textAlign = 'left'
  context.textBaseline = 'middle'
  context.beginPath()
  for (const price of values) {
    const y = sharp(yOf(plot, price))
    context.moveTo(0, y)
    context.lineTo(width, y)
    context.fillText(priceTickText(price, step), width + 8, y)
  }
  context.stroke()
}

const drawTimeAxis = (plot: Plot, { text }: ChartColours): void => {
  const { context, width, bottom } = plot
  context.fillStyle = text
  context.textAlign = 'center'
  context.textBaseline = 'top'
  for (const time of timeTicks(plot.times, width / timeSpace).values) {
    const x = xOf(plot, time)
    // A text at the edge would be cut.
    if (x > timeSpace / 3 && x < width - timeSpace / 3) context.fillText(clockTime(time), x, bottom + 6)
  }
}

/** Draws the prices. Each one holds until the next one; a time without a current price has no line. */
const drawPrices = (plot: Plot, data: ChartData, { line, fill }: ChartColours): void => {
  const { context, bottom } = plot
  const path = new Path2D()
  const area = new Path2D()
  let y: number | undefined
  data.prices.forEach((price, index) => {
    const x = xOf(plot, data.times[index] ?? 0)
    if (y !== undefined) {
      path.lineTo(x, y)
      area.lineTo(x, y)
    }
    if (price === null) {
      if (y !== undefined) area.lineTo(x, bottom)
      y = undefined
      return
    }
    const next = yOf(plot, price)
    if (y === undefined) {
      path.moveTo(x, next)
      area.moveTo(x, bottom)
    } else path.lineTo(x, next)
    area.lineTo(x, next)
    y = next
  })
  if (y !== undefined) area.lineTo(xOf(plot, data.times.at(-1) ?? 0), bottom)
  context.fillStyle = fill
  context.fill(area)
  context.strokeStyle = line
  context.lineWidth = 1.5
  context.lineJoin = 'round'
  context.stroke(path)
}

/** Draws a dotted line at the last price, and a dot while it is current. */
const drawLastPrice = (plot: Plot, { prices }: ChartData, { line, text }: ChartColours): void => {
  const { context, width } = plot
  const last = prices.findLast((price) => price !== null) ?? null
  if (last === null) return
  const y = yOf(plot, last)
  context.strokeStyle = text
  context.lineWidth = 1
  context.setLineDash([1, 3])
  context.beginPath()
  context.moveTo(0, sharp(y))
  context.lineTo(width, sharp(y))
  context.stroke()
  context.setLineDash([])
  if (prices.at(-1) === null) return
  context.fillStyle = line
  context.beginPath()
  context.arc(width, y, 3, 0, 2 * Math.PI)
  context.fill()
}

const hatchStep = 7

const drawGaps = (plot: Plot, { times, prices }: ChartData, { gap }: ChartColours): void => {
  const { context, top, bottom } = plot
  const height = bottom - top
  context.strokeStyle = gap
  context.lineWidth = 1
  for (const { from, to } of gapsOf(times, prices)) {
    const [left, right] = [Math.max(0, xOf(plot, from)), xOf(plot, to)]
    context.save()
    context.beginPath()
    context.rect(left, top, right - left, height)
    context.clip()
    context.beginPath()
    for (let x = left - height; x < right; x += hatchStep) {
      context.moveTo(x, bottom)
      context.lineTo(x + height, top)
    }
    context.stroke()
    context.restore()
  }
}
