import { printable } from '../../base/errors/text.js'
import { depthReason } from '../../view/card-texts.js'
import type { Connection } from '../../view/connection.js'
import { symbolsText, type Display, type LogEntry } from '../../view/display.js'
import {
  clockTime,
  formatAge,
  formatChange,
  formatUsd,
  shortNumber,
  shortPrice,
  shortTokens,
} from '../../view/texts.js'
import type { TokenState } from '../../view/token-state.js'
import type { Demonstration } from '../target/demonstration.js'
import { withVariable } from '../target/source-flags.js'
import { statusText } from './rows.js'
import { columnsOf, displayWidth, drawTable, fit, type Cell, type Column } from './table.js'
import type { Colours } from './terminal.js'

export interface BoardView {
  readonly display: Display
  readonly hasDepth: boolean
  /** Two lines above the table: the source of the prices, and its next step. */
  readonly header?: Pick<Demonstration, 'title' | 'detail' | 'next'> | undefined
  /** A line below the table, such as the reason for missing depth. */
  readonly note?: string | undefined
}

interface DrawContext {
  readonly colours: Colours
  /** In ms since the Unix epoch. */
  readonly now: number
}

export interface Size {
  readonly columns: number
  readonly rows: number
}

const maxEvents = 5

/** Lines of the header with a blank. */
const headerLines = 3

/** Lines besides header, tokens, events and note: titles, hidden tokens, two blanks, status, the hint on Ctrl-C, the cursor. */
const otherLines = 7

/** One row stays free for the cursor: with more lines, the terminal would scroll at each redraw, and hide the first tokens. */
export const drawBoard = (
  view: BoardView,
  context: DrawContext,
  { columns, rows }: Size,
): readonly string[] => {
  const { colours, now } = context
  const { display, header, note = rejectedKeyNote(display) } = view
  const dimmed = (text: string): string => colours.dim(fit(text, columns))
  const status = drawStatus(display.connection, now, colours, columns)
  const free = rows - otherLines - (header === undefined ? 0 : headerLines) - (note === undefined ? 0 : 1)
  if (free < 1) {
    // Only titles, tokens and the status.
    const tokenLines = display.tokens.length > rows - 3 ? rows - 4 : rows - 3
    return [...drawTokens(view, context, columns, tokenLines), status].slice(-Math.max(1, rows - 1))
  }
  const shown = display.log.slice(0, Math.min(maxEvents, Math.floor(free / 2)))
  const events = shown.map((entry) => dimmed(eventLine(entry))).reverse()
  return [
    ...(header === undefined ? [] : drawHeader(header, context, columns)),
    ...drawTokens(view, context, columns, free - events.length),
    ...(note === undefined ? [] : [dimmed(note)]),
    '',
    ...events,
    ...(events.length === 0 ? [] : ['']),
    status,
    dimmed('Press Ctrl-C to stop.'),
  ]
}

/** The next step if the service rejects the signatures of depth requests. */
const rejectedKeyNote = ({ tokens }: Display): string | undefined =>
  tokens.some(({ depthError }) => depthError?._tag === 'Unauthorized')
    ? `The service rejects the signature: check ${withVariable('authKey')}.`
    : undefined

const drawHeader = (
  { title, detail, next }: NonNullable<BoardView['header']>,
  { colours, now }: DrawContext,
  columns: number,
): readonly string[] => {
  const whole = `${title} ${detail}`
  const first = displayWidth(whole) <= columns ? whole : fit(title, columns)
  return [first, colours.waiting(fit(next(now), columns)), '']
}

/** The table of at most `tokenLines` tokens, at least one, and the number of hidden tokens. */
const drawTokens = (
  { display: { tokens }, hasDepth }: BoardView,
  context: DrawContext,
  columns: number,
  tokenLines: number,
): readonly string[] => {
  const { dim } = context.colours
  const shown = tokens.slice(0, Math.max(1, tokenLines))
  const all = [...priceColumns(shown, context), ...(hasDepth ? depthColumns(shown, context) : [])]
  const table = drawTable(all, columns, dim)
  const hidden = tokens.length - shown.length
  return hidden === 0
    ? table
    : [...table, dim(fit(`and ${hidden} more that do not fit on the screen`, columns))]
}

const drawStatus = (
  { status, statusAt }: Connection,
  now: number,
  colours: Colours,
  columns: number,
): string => {
  const uptime = status._tag === 'Open' ? `, up ${formatAge(now - statusAt)}` : ''
  const isCurrent = status._tag === 'Open' && status.behindMs === undefined
  const paint = isCurrent ? colours.live : status._tag === 'Waiting' ? colours.failed : colours.waiting
  return `${paint('●')} ${fit(printable(`${statusText(status)}${uptime}`), columns - 2)}`
}

const eventLine = (entry: LogEntry): string =>
  `${clockTime(entry.at)}  ${entry.symbols.length === 0 ? '' : `${symbolsText(entry)}: `}${entry.text}`

/** A longer name of SVC_TOKENS is cut, so that it does not displace the prices. */
const maxNameWidth = 16

const emptyCell: Cell = { text: '–' }

/** The columns of prices: one row per token. Values that are not current are dim. No price is without its state. */
const priceColumns = (tokens: readonly TokenState[], context: DrawContext): readonly Column[] => {
  const { colours, now } = context
  const priceCell = ({ price, state }: TokenState, text: (usd: number) => string): Cell =>
    price === undefined
      ? emptyCell
      : { text: text(price.price), paint: state === 'live' ? undefined : colours.dim }
  const column = columnsOf(tokens)
  return [
    column({ title: 'TOKEN', align: 'left', rank: 0, width: 6 }, ({ token }) => ({
      text: fit(token.symbol, maxNameWidth),
      paint: colours.token,
    })),
    column({ title: 'PRICE, USD', align: 'decimal', rank: 2, width: 11 }, (token) =>
      priceCell(token, shortPrice),
    ),
    column({ title: 'CHANGE', align: 'decimal', rank: 5, width: 9 }, (token) => changeCell(token, colours)),
    column({ title: 'AGE', align: 'right', rank: 3, width: 6 }, (token) =>
      priceCell(token, () => formatAge(now - token.priceAt)),
    ),
    column({ title: 'STATE', align: 'left', rank: 1, width: 9 }, (token) => stateCell(token, colours)),
  ]
}

/** The columns of depth. A failed depth is replaced by its reason. */
const depthColumns = (tokens: readonly TokenState[], { colours }: DrawContext): readonly Column[] => {
  const column = columnsOf(tokens)
  const usd = (title: string, side: 'buy' | 'sell'): Column =>
    column({ title, align: 'right', rank: 4, width: 11 }, ({ depth, depthError }) => {
      if (depthError !== undefined)
        return { text: depthReason(depthError), paint: colours.failed, canCut: true }
      return depth === undefined ? emptyCell : { text: shortNumber(depth[side].totalQuantityUsd, formatUsd) }
    })
  const quantity = (side: 'buy' | 'sell'): Column =>
    column({ title: 'QUANTITY', align: 'decimal', rank: 6, width: 9 }, ({ token, depth, depthError }) => {
      if (depth === undefined || depthError !== undefined) return emptyCell
      return { text: shortTokens(depth[side].totalQuantity, token.decimals ?? undefined) }
    })
  return [usd('CAN BUY, USD', 'buy'), quantity('buy'), usd('CAN SELL, USD', 'sell'), quantity('sell')]
}

const changeCell = (token: TokenState, colours: Colours): Cell => {
  const { change, price, state } = token
  if (change === undefined || price === undefined) return emptyCell
  const text = shortNumber(change, (usd) => formatChange(usd, price.price))
  if (!/[1-9]/.test(text) || state !== 'live') return { text, paint: colours.dim }
  return { text, paint: change > 0 ? colours.rising : colours.falling }
}

const stateCell = ({ state }: TokenState, colours: Colours): Cell => ({
  text: state,
  paint: state === 'live' || state === 'waiting' ? colours[state] : colours.failed,
})
