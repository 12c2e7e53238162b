import type { Equity } from '../account.js'
import { formatMoney, toNumber } from '../money.js'
import type { Filled } from '../order.js'
import type { Report } from './report.js'
import { axisOf, scaleOf, type Axis, type Scale } from './scale.js'
import { timeSteps, timeText } from './time-axis.js'
import { thin } from './thin.js'

// The equity curve as a chart that needs nothing else: one file, with a title and a description for screen readers, in the
// colours of the reader's light or dark theme. Fills differ by their shape, not by colour alone.

const size = { width: 800, height: 360 }
const plot = { left: 96, right: 752, top: 48, bottom: 312 }

const style = `
  svg { --paper: #ffffff; --ink: #1f2328; --grid: #d1d9e0; --line: #0550ae; --buy: #116329; --sell: #a40e26 }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #0d1117; --ink: #e6edf3; --grid: #3d444d; --line: #79c0ff; --buy: #56d364; --sell: #ff9492 }
  }
  text { fill: var(--ink); font: 12px system-ui, sans-serif }
  .title { font-size: 16px; font-weight: 600 }
  .end { text-anchor: end } .middle { text-anchor: middle }
  .paper { fill: var(--paper) } .grid { stroke: var(--grid) }
  .line { fill: none; stroke: var(--line); stroke-width: 2; stroke-linejoin: round }
  .buy { fill: var(--buy) } .sell { fill: var(--sell) }`

export const renderSvg = (report: Report, title: string): string => {
  const { curve } = report
  const [times, amounts] = [curve.map(({ at }) => at), curve.map(({ equity }) => toNumber(equity))]
  const [xAxis, yAxis] = [axisOf(times, 5, timeSteps), axisOf(amounts, 5)]
  const [x, y] = [scaleOf(xAxis, plot.left, plot.right), scaleOf(yAxis, plot.bottom, plot.top)]
  const width = plot.right - plot.left
  // Of several points at one time the last one counts, which follows the fill.
  const equityAt = new Map(curve.map(({ at, equity }) => [at, toNumber(equity)]))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escape(title)}</title>`,
    `<desc id="description">${escape(describe(report))}</desc>`,
    `<style>${style}\n</style>`,
    `<rect class="paper" width="${size.width}" height="${size.height}"/>`,
    `<text class="title" x="${plot.left}" y="28">${escape(title)}, USD</text>`,
    ...yAxis.ticks.map((tick) => horizontalLine(y(tick), amountText(tick, yAxis))),
    ...xAxis.ticks.map((tick) => timeLabel(x(tick), timeText(tick, xAxis))),
    `<text class="middle" x="${(plot.left + plot.right) / 2}" y="352">time, UTC</text>`,
    ...segmentsOf(curve).map((segment) => polyline(thin(segment, x, width), x, y)),
    ...report.orders.flatMap((each) => (each._tag === 'Filled' ? [marker(each, equityAt, x, y)] : [])),
    '</svg>',
    '',
  ].join('\n')
}

const describe = ({ account, orders, maxDrawdown }: Report): string => {
  const fills = orders.filter(({ _tag }) => _tag === 'Filled').length
  const equity = `From ${formatMoney(account.start)} to ${formatMoney(account.equity.equity)} USD`
  return `${equity}, largest drawdown ${formatMoney(maxDrawdown)} USD, ${fills} of ${orders.length} orders filled.`
}

/** The curve without the times at which a price was not current: they are gaps. */
const segmentsOf = (curve: readonly Equity[]): readonly (readonly Equity[])[] => {
  const segments: Equity[][] = [[]]
  for (const point of curve) {
    if (point.isCurrent) segments.at(-1)?.push(point)
    else segments.push([])
  }
  return segments.filter(({ length }) => length > 0)
}

const polyline = (points: readonly Equity[], x: Scale, y: Scale): string => {
  const pairs = points.map(({ at, equity }) => `${x(at)},${y(toNumber(equity))}`)
  return `<polyline class="line" points="${pairs.join(' ')}"/>`
}

/** A triangle that points up for a buy and down for a sale, at the equity after the fill. */
const marker = ({ at, order }: Filled, equityAt: ReadonlyMap<number, number>, x: Scale, y: Scale): string => {
  const [centre, middle] = [x(at), y(equityAt.get(at) ?? 0)]
  const tip = order.side === 'buy' ? -5 : 5
  const corners = `${centre},${middle + tip} ${centre - 5},${middle - tip} ${centre + 5},${middle - tip}`
  return `<polygon class="${order.side}" points="${corners}"><title>${order.side} ${escape(order.symbol)}</title></polygon>`
}

const horizontalLine = (y: number, label: string): string =>
  `<line class="grid" x1="${plot.left}" x2="${plot.right}" y1="${y}" y2="${y}"/>` +
  `<text class="end" x="${plot.left - 8}" y="${y + 4}">${label}</text>`

const timeLabel = (x: number, label: string): string =>
  `<text class="middle" x="${x}" y="${plot.bottom + 18}">${label}</text>`

/** The digits that distinguish the ticks. */
const amountText = (amount: number, { step }: Axis): string => {
  const digits = Math.max(0, -Math.floor(Math.log10(step)))
  return amount.toLocaleString('en-GB', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
