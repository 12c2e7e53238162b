import { printable } from '../../errors/text.js'
import { deploymentFlags, withVariable } from '../input/deployment-flags.js'
import type { Colours } from '../output/colours.js'
import { displayWidth, fit, fitMiddle } from '../output/display-width.js'
import { formatAge } from '../output/format.js'
import { statusText } from '../output/status-text.js'
import { drawTable, fittingColumns } from '../output/table.js'
import type { Board } from './board.js'
import { depthColumns, narrowColumns, priceColumns, stateTitle, type DrawContext } from './columns.js'
import type { LoggedEvent } from './event-log.js'

/** Two lines above the table: the source of the prices, and what it does next. */
export interface Header {
  readonly title: string
  /** Follows the title on a screen that is wide enough. */
  readonly detail: string
  /** Contains the remaining time at `now`. */
  readonly next: (now: number) => string
}

/** The content of the screen. */
export interface BoardView {
  readonly board: Board
  readonly events: readonly LoggedEvent[]
  readonly hasDepth: boolean
  readonly header: Header | undefined
  /** A line below the table, such as the reason for missing depth. */
  readonly note: string | undefined
}

/** Size of the terminal in columns and rows of characters. */
export interface Size {
  readonly columns: number
  readonly rows: number
}

/** Lines of the header with a blank. */
const headerLines = 3

/** Lines besides the header, tokens, events and the note: titles, hidden tokens, two blanks, status, the hint on Ctrl-C, the cursor. */
const otherLines = 7

/**
 * The lines of the screen: the table, the event log and the connection status, cut to the terminal's size. One row stays
 * free for the cursor: with more lines, the terminal would scroll at each redraw, and the first tokens would be hidden.
 */
export const drawBoard = (
  view: BoardView,
  context: DrawContext,
  { columns, rows }: Size,
): readonly string[] => {
  const { colours, now } = context
  const { board, header, note = rejectedKeyNote(board) } = view
  const dimmed = (text: string): string => colours.dim(fit(text, columns))
  const status = drawStatus(board, now, colours, columns)
  const free = rows - otherLines - (header === undefined ? 0 : headerLines) - (note === undefined ? 0 : 1)
  if (free < 1) {
    // Only titles, tokens and the status.
    const tokenLines = board.tokens.length > rows - 3 ? rows - 4 : rows - 3
    return [...drawTokens(view, context, columns, tokenLines), status].slice(-Math.max(1, rows - 1))
  }
  const events = view.events.slice(Math.max(0, view.events.length - Math.floor(free / 2)))
  return [
    ...(header === undefined ? [] : drawHeader(header, context, columns)),
    ...drawTokens(view, context, columns, free - events.length),
    ...(note === undefined ? [] : [dimmed(note)]),
    '',
    // The errors of repeated attempts differ in their end.
    ...events.map(({ at, text }) => colours.dim(fitMiddle(`${clockTime(at)}  ${text}`, columns))),
    ...(events.length === 0 ? [] : ['']),
    status,
    dimmed('Press Ctrl-C to stop.'),
  ]
}

/** The next step if the service rejects the signatures of depth requests. */
const rejectedKeyNote = ({ tokens }: Board): string | undefined =>
  tokens.some(({ depthError }) => depthError?._tag === 'Unauthorized')
    ? `The service rejects the signature: check ${withVariable(deploymentFlags.authKey)}.`
    : undefined

const drawHeader = (
  { title, detail, next }: Header,
  { colours, now }: DrawContext,
  columns: number,
): readonly string[] => {
  const whole = `${title} ${detail}`
  const first = displayWidth(whole) <= columns ? whole : fit(title, columns)
  return [first, colours.waiting(fit(next(now), columns)), '']
}

/** The table of at most `tokenLines` tokens, at least one, and the number of hidden tokens. */
const drawTokens = (
  { board: { tokens }, hasDepth }: BoardView,
  context: DrawContext,
  columns: number,
  tokenLines: number,
): readonly string[] => {
  const { dim } = context.colours
  const shown = tokens.slice(0, Math.max(1, tokenLines))
  const all = [...priceColumns(shown, context), ...(hasDepth ? depthColumns(shown, context) : [])]
  const hasState = fittingColumns(all, columns).some(({ title }) => title === stateTitle)
  const table = drawTable(hasState ? all : narrowColumns(shown, context, columns), columns, dim)
  const hidden = tokens.length - shown.length
  return hidden === 0
    ? table
    : [...table, dim(fit(`and ${hidden} more that do not fit on the screen`, columns))]
}

const drawStatus = ({ status, statusAt }: Board, now: number, colours: Colours, columns: number): string => {
  const uptime = status._tag === 'Open' ? `, up ${formatAge(now - statusAt)}` : ''
  const isCurrent = status._tag === 'Open' && status.behindMs === undefined
  const paint = isCurrent ? colours.live : status._tag === 'Waiting' ? colours.failed : colours.waiting
  return `${paint('●')} ${fit(printable(`${statusText(status)}${uptime}`), columns - 2)}`
}

const clockTime = (at: number): string => new Date(at).toLocaleTimeString('en-GB')
