import { gapsOf } from '../../model/chart-scale.js'
import type { ChartData } from '../../model/chart-samples.js'
import { sharp, xOf, yOf, type Plot } from './plot.js'
import type { ChartColours } from './theme.js'

/** Draws the prices. Each one holds until the next one; a time without a current price has no line. */
export const drawPrices = (plot: Plot, data: ChartData, { line, fill }: ChartColours): void => {
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
export const drawLastPrice = (plot: Plot, { prices }: ChartData, { line, text }: ChartColours): void => {
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

/** Hatches the times without a current price. */
export const drawGaps = (plot: Plot, { times, prices }: ChartData, { gap }: ChartColours): void => {
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
