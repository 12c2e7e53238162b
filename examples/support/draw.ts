import chalk from 'chalk'
import type { AnyError, ConnectionStatus, DepthSide } from 'svc-streams'
import type { Row } from './row.js'

// The board as text: a line for the connection, and a line a token.

const sparks = '▁▂▃▄▅▆▇█'
const eighths = ' ▏▎▍▌▋▊▉'

/** What a line takes besides the recent course, and what its depth takes besides the two bars. */
const priceWidth = 29
const depthWidth = 27

/** A narrower terminal has no room for the depths. */
const leastForBoth = 72

export interface BoardState {
  readonly rows: readonly Row[]
  readonly status: ConnectionStatus
  /** The last lines of the log. */
  readonly log: readonly string[]
}

export const drawBoard = ({ rows, status, log }: BoardState, now: number, columns: number): string => {
  const widths = widthsFor(columns)
  const deepest = Math.max(1, ...rows.flatMap(({ depth }) => [usd(depth?.buy), usd(depth?.sell)]))
  return [
    '',
    ` ${chalk.bold('svc-streams')}  ${drawStatus(status, now, columns)}`,
    '',
    chalk.dim(titles(widths)),
    ...rows.map((row) => drawRow(row, { ...widths, deepest, now })),
    '',
    ...log.map((line) => ` ${chalk.dim(fit(line, columns - 2))}`),
    '',
    chalk.dim(' Ctrl-C ends it.'),
  ].join('\n')
}

interface Widths {
  /** Of the recent course. */
  readonly course: number
  /** Of the bar of one side of the depth, if there is room for it. */
  readonly bar: number | undefined
}

/** The course has what is left, up to 48 characters, when the bars have 5 to 10 each. */
const widthsFor = (columns: number): Widths => {
  const withoutDepth = columns - priceWidth
  if (columns < leastForBoth) return { course: Math.max(1, Math.min(48, withoutDepth)), bar: undefined }
  const left = withoutDepth - depthWidth
  const bar = Math.max(5, Math.min(10, Math.floor(left / 4)))
  return { course: Math.min(48, left - 2 * bar), bar }
}

const titles = ({ course, bar }: Widths): string => {
  const price = ` ${'TOKEN'.padEnd(6)}${'PRICE, USD'.padStart(12)}  ${fit('COURSE', course).padEnd(course)} ${'AGE'.padStart(6)}`
  if (bar === undefined) return price
  return `${price}  ${'CAN BE BOUGHT'.padEnd(bar + 8)}  ${'CAN BE SOLD'.padEnd(bar + 8)} ${'AGE'.padStart(6)}`
}

export const describeStatus = (status: ConnectionStatus): string => {
  switch (status._tag) {
    case 'Idle':
      return 'idle'
    case 'Connecting':
      return `connecting, attempt ${status.attempt}`
    case 'Open':
      return `connected, epoch ${status.epoch}`
    case 'Waiting':
      return `down (${status.reason}), next attempt in ${status.retryInMs} ms`
    case 'Closed':
      return 'closed'
  }
}

/** A row as one plain line. */
export const describeRow = ({ symbol, price, priceError, depth, depthError }: Row): string => {
  const current = priceError ?? price
  const first =
    current === undefined ? 'no price yet' : '_tag' in current ? current._tag : formatPrice(current.price)
  const second =
    depthError?._tag ??
    (depth === undefined
      ? 'no depth yet'
      : `can be bought ${formatUsd(usd(depth.buy))}, can be sold ${formatUsd(usd(depth.sell))}`)
  return `${symbol.padEnd(6)} ${first.padStart(12)}  ${second}`
}

const drawStatus = (status: ConnectionStatus, now: number, columns: number): string => {
  const up = status._tag === 'Open' ? `, up ${(Math.max(0, now - status.since) / 1000).toFixed(0)} s` : ''
  const colour = status._tag === 'Open' ? chalk.green : status._tag === 'Waiting' ? chalk.red : chalk.yellow
  return `${colour('●')} ${fit(`${describeStatus(status)}${up}`, columns - 17)}`
}

interface Layout extends Widths {
  readonly deepest: number
  readonly now: number
}

const drawRow = (row: Row, layout: Layout): string => {
  const { symbol, price, course } = row
  const isCurrent = row.priceError === undefined && price !== undefined
  const shade = isCurrent ? chalk.reset : chalk.dim
  const number = (price === undefined ? '–' : formatPrice(price.price)).padStart(12)
  const middle =
    row.priceError === undefined ? drawCourse(course, layout.course) : drawTag(row.priceError, layout.course)
  return ` ${chalk.bold(symbol.padEnd(6))}${shade(number)}  ${middle} ${age(price?.receivedAt, layout.now)}${drawDepth(row, layout)}`
}

const drawTag = ({ _tag }: AnyError, width: number): string => chalk.red(fit(_tag, width).padEnd(width))

const drawDepth = ({ depth, depthError }: Row, { bar, deepest, now }: Layout): string => {
  if (bar === undefined) return ''
  if (depthError !== undefined) return `  ${drawTag(depthError, 2 * bar + depthWidth - 2)}`
  const buy = drawSide(depth?.buy, deepest, bar, chalk.green)
  const sell = drawSide(depth?.sell, deepest, bar, chalk.red)
  return `  ${buy}  ${sell} ${age(depth?.receivedAt, now)}`
}

const fit = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text

const drawCourse = (course: Row['course'], width: number): string => {
  const values = course.slice(-width).map(({ price }) => price)
  const low = Math.min(...values)
  const range = Math.max(...values) - low
  const line = values
    .map((value) => sparks[range === 0 ? 3 : Math.round(((value - low) / range) * 7)])
    .join('')
  const colour = (values.at(-1) ?? 0) >= (values[0] ?? 0) ? chalk.green : chalk.red
  return colour(line.padStart(width))
}

const drawSide = (
  side: DepthSide | undefined,
  deepest: number,
  barWidth: number,
  colour: (text: string) => string,
): string => {
  // The root lets small tokens be seen beside large ones.
  const eighth = Math.round(Math.sqrt(usd(side) / deepest) * barWidth * 8)
  const bar = '█'.repeat(Math.floor(eighth / 8)) + (eighth % 8 === 0 ? '' : (eighths[eighth % 8] ?? ''))
  return `${colour(bar.padEnd(barWidth))} ${(side === undefined ? '–' : formatUsd(usd(side))).padStart(7)}`
}

const usd = (side: DepthSide | undefined): number => side?.totalQuantityUsd ?? 0

const age = (receivedAt: number | undefined, now: number): string =>
  (receivedAt === undefined ? '–' : `${(Math.max(0, now - receivedAt) / 1000).toFixed(1)} s`).padStart(6)

export const formatPrice = (price: number): string =>
  price.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: price < 10 ? 4 : 3 })

export const formatUsd = (amount: number): string =>
  `$${amount.toLocaleString('en-US', { notation: 'compact', maximumSignificantDigits: 3 })}`
