import { priceTicks, timeTicks } from '../../model/chart-scale.js'
import { priceTickText } from '../../text/chart-text.js'
import { clockTime } from '../../text/clock-time.js'
import { sharp, xOf, yOf, type Plot } from './plot.js'
import type { ChartColours } from './theme.js'

const font = '11px system-ui, sans-serif'

/** Least distance of the marks, in CSS pixels. */
const [priceSpace, timeSpace] = [34, 72]

const maxPrices = 8

/** Draws the grid, and the text of both axes. */
export const drawAxes = (plot: Plot, colours: ChartColours): void => {
  plot.context.font = font
  plot.context.lineWidth = 1
  drawPrices(plot, colours)
  drawTimes(plot, colours)
}

const drawPrices = (plot: Plot, { grid, text }: ChartColours): void => {
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

const drawTimes = (plot: Plot, { text }: ChartColours): void => {
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
