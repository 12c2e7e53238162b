import chalk from 'chalk'
import type { AnyError, ConnectionStatus, Depth, DepthSide } from 'svc-streams'
import type { Row } from './row.js'

// The board as text: a line for the connection, and a line a token.

const sparks = '▁▂▃▄▅▆▇█'
const eighths = ' ▏▎▍▌▋▊▉'
const barWidth = 10
const depthWidth = 2 * barWidth + 25

/** What a line takes besides the recent course, which has the rest of the terminal's width. */
const fixedWidth = 78

export interface BoardState {
  readonly rows: readonly Row[]
  readonly status: ConnectionStatus
  /** The last lines of the log. */
  readonly log: readonly string[]
}

export const drawBoard = ({ rows, status, log }: BoardState, now: number, columns: number): string => {
  const sparkWidth = Math.min(48, Math.max(8, columns - fixedWidth))
  const deepest = Math.max(1, ...rows.flatMap(({ depth }) => [usd(depth?.buy), usd(depth?.sell)]))
  const lines = rows.map((row) => drawRow(row, { deepest, now, sparkWidth }))
  return [
    '',
    ` ${chalk.bold('svc-streams')}  ${drawStatus(status, now)}`,
    '',
    chalk.dim(
      ` ${'TOKEN'.padEnd(6)}${'PRICE, USD'.padStart(12)}  ${'RECENT COURSE'.padEnd(sparkWidth)} ${'AGE'.padStart(6)}  ` +
        `${'CAN BE BOUGHT'.padEnd(barWidth + 8)}  ${'CAN BE SOLD'.padEnd(barWidth + 8)} ${'AGE'.padStart(6)}`,
    ),
    ...lines,
    '',
    ...log.map((line) => ` ${chalk.dim(fit(line, columns - 2))}`),
    '',
    chalk.dim(' Ctrl-C ends it.'),
  ].join('\n')
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

const drawStatus = (status: ConnectionStatus, now: number): string => {
  if (status._tag === 'Open') {
    const up = Math.max(0, now - status.since) / 1000
    return `${chalk.green('●')} ${describeStatus(status)}, up ${up.toFixed(0)} s`
  }
  const dot = status._tag === 'Waiting' ? chalk.red('●') : chalk.yellow('●')
  return `${dot} ${describeStatus(status)}`
}

interface Layout {
  readonly deepest: number
  readonly now: number
  readonly sparkWidth: number
}

const drawRow = (row: Row, { deepest, now, sparkWidth }: Layout): string => {
  const { symbol, price, depth, course } = row
  const isCurrent = row.priceError === undefined && price !== undefined
  const shade = isCurrent ? chalk.reset : chalk.dim
  const number = (price === undefined ? '–' : formatPrice(price.price)).padStart(12)
  const middle =
    row.priceError === undefined ? drawCourse(course, sparkWidth) : drawTag(row.priceError, sparkWidth)
  const right =
    row.depthError === undefined ? drawDepth(depth, deepest, now) : drawTag(row.depthError, depthWidth)
  return ` ${chalk.bold(symbol.padEnd(6))}${shade(number)}  ${middle} ${age(price?.receivedAt, now)}  ${right}`
}

const drawTag = ({ _tag }: AnyError, width: number): string => chalk.red(fit(_tag, width).padEnd(width))

const drawDepth = (depth: Depth | undefined, deepest: number, now: number): string => {
  const buy = drawSide(depth?.buy, deepest, chalk.green)
  const sell = drawSide(depth?.sell, deepest, chalk.red)
  return `${buy}  ${sell} ${age(depth?.receivedAt, now)}`
}

const fit = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, width - 1)}…` : text

const drawCourse = (course: Row['course'], sparkWidth: number): string => {
  const values = course.slice(-sparkWidth).map(({ price }) => price)
  const low = Math.min(...values)
  const range = Math.max(...values) - low
  const line = values
    .map((value) => sparks[range === 0 ? 3 : Math.round(((value - low) / range) * 7)])
    .join('')
  const colour = (values.at(-1) ?? 0) >= (values[0] ?? 0) ? chalk.green : chalk.red
  return colour(line.padStart(sparkWidth))
}

const drawSide = (side: DepthSide | undefined, deepest: number, colour: (text: string) => string): string => {
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
