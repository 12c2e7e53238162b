import chalk from 'chalk'
import type { AnyError, ConnectionStatus, DepthSide } from 'svc-streams'
import { describeStatus, formatPrice, formatUsd, usdOf } from './format.js'
import type { TokenRow } from './token-row.js'

// The board as text: one line for the connection, and one line per token.

const sparks = '▁▂▃▄▅▆▇█'
const eighths = ' ▏▎▍▌▋▊▉'

/** Columns of the price part of a line, without the trend. */
const priceWidth = 29
/** Columns of the depth part of a line, without its two bars. */
const depthWidth = 27

/** A narrower terminal shows no depths. */
const minColumnsForDepth = 72

export interface BoardState {
  readonly rows: readonly TokenRow[]
  readonly status: ConnectionStatus
  /** The last lines of the event log. */
  readonly log: readonly string[]
}

export const renderBoard = ({ rows, status, log }: BoardState, now: number, columns: number): string => {
  const widths = widthsFor(columns)
  const maxUsd = Math.max(1, ...rows.flatMap(({ depth }) => [usdOf(depth?.buy), usdOf(depth?.sell)]))
  return [
    '',
    ` ${chalk.bold('svc-streams')}  ${renderStatus(status, now, columns)}`,
    '',
    chalk.dim(renderTitles(widths)),
    ...rows.map((row) => renderRow(row, { ...widths, maxUsd, now })),
    '',
    ...log.map((line) => ` ${chalk.dim(truncate(line, columns - 2))}`),
    '',
    chalk.dim(' Press Ctrl-C to exit.'),
  ].join('\n')
}

interface Widths {
  /** Columns of the trend. */
  readonly trend: number
  /** Columns of each depth bar; undefined if the terminal is too narrow for depths. */
  readonly bar: number | undefined
}

/** Each bar has 5 to 10 columns. The trend has the rest, at most 48. */
const widthsFor = (columns: number): Widths => {
  const withoutPrice = columns - priceWidth
  if (columns < minColumnsForDepth) return { trend: Math.max(1, Math.min(48, withoutPrice)), bar: undefined }
  const rest = withoutPrice - depthWidth
  const bar = Math.max(5, Math.min(10, Math.floor(rest / 4)))
  return { trend: Math.min(48, rest - 2 * bar), bar }
}

const renderTitles = ({ trend, bar }: Widths): string => {
  const price = ` ${'TOKEN'.padEnd(6)}${'PRICE, USD'.padStart(12)}  ${truncate('TREND', trend).padEnd(trend)} ${'AGE'.padStart(6)}`
  if (bar === undefined) return price
  return `${price}  ${'CAN BE BOUGHT'.padEnd(bar + 8)}  ${'CAN BE SOLD'.padEnd(bar + 8)} ${'AGE'.padStart(6)}`
}

const renderStatus = (status: ConnectionStatus, now: number, columns: number): string => {
  const up = status._tag === 'Open' ? `, up ${(Math.max(0, now - status.since) / 1000).toFixed(0)} s` : ''
  const colour = status._tag === 'Open' ? chalk.green : status._tag === 'Waiting' ? chalk.red : chalk.yellow
  return `${colour('●')} ${truncate(`${describeStatus(status)}${up}`, columns - 17)}`
}

interface Layout extends Widths {
  /** The largest depth side of all rows, in USD. */
  readonly maxUsd: number
  readonly now: number
}

const renderRow = (row: TokenRow, layout: Layout): string => {
  const { symbol, price, history, priceError } = row
  const isCurrent = priceError === undefined && price !== undefined
  const shade = isCurrent ? chalk.reset : chalk.dim
  const number = (price === undefined ? '–' : formatPrice(price.price)).padStart(12)
  const trend =
    priceError === undefined ? renderTrend(history, layout.trend) : renderTag(priceError, layout.trend)
  return ` ${chalk.bold(symbol.padEnd(6))}${shade(number)}  ${trend} ${renderAge(price?.receivedAt, layout.now)}${renderDepth(row, layout)}`
}

const renderTag = ({ _tag }: AnyError, width: number): string =>
  chalk.red(truncate(_tag, width).padEnd(width))

const renderDepth = ({ depth, depthError }: TokenRow, { bar, maxUsd, now }: Layout): string => {
  if (bar === undefined) return ''
  if (depthError !== undefined) return `  ${renderTag(depthError, 2 * bar + depthWidth - 2)}`
  const buy = renderSide(depth?.buy, maxUsd, bar, chalk.green)
  const sell = renderSide(depth?.sell, maxUsd, bar, chalk.red)
  return `  ${buy}  ${sell} ${renderAge(depth?.receivedAt, now)}`
}

const truncate = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text

const renderTrend = (history: TokenRow['history'], width: number): string => {
  const values = history.slice(-width).map(({ price }) => price)
  const low = Math.min(...values)
  const range = Math.max(...values) - low
  const line = values
    .map((value) => sparks[range === 0 ? 3 : Math.round(((value - low) / range) * 7)])
    .join('')
  const colour = (values.at(-1) ?? 0) >= (values[0] ?? 0) ? chalk.green : chalk.red
  return colour(line.padStart(width))
}

const renderSide = (
  side: DepthSide | undefined,
  maxUsd: number,
  barWidth: number,
  colour: (text: string) => string,
): string => {
  // A square-root scale keeps small tokens visible beside large ones.
  const length = Math.round(Math.sqrt(usdOf(side) / maxUsd) * barWidth * 8) // in eighths of a column
  const bar = '█'.repeat(Math.floor(length / 8)) + (length % 8 === 0 ? '' : (eighths[length % 8] ?? ''))
  return `${colour(bar.padEnd(barWidth))} ${(side === undefined ? '–' : formatUsd(usdOf(side))).padStart(7)}`
}

const renderAge = (receivedAt: number | undefined, now: number): string =>
  (receivedAt === undefined ? '–' : `${(Math.max(0, now - receivedAt) / 1000).toFixed(1)} s`).padStart(6)
