import { printable } from '../../errors/text.js'
import type { Colours } from '../output/colours.js'
import { fit } from '../output/display-width.js'
import { formatAge } from '../output/format.js'
import { statusText } from '../output/status-text.js'
import { drawTable, fittingColumns } from '../output/table.js'
import type { Board } from './board.js'
import { depthColumns, narrowColumns, priceColumns, stateTitle, type DrawContext } from './columns.js'
import type { LoggedEvent } from './event-log.js'

/** The content of the screen. */
export interface BoardView {
  readonly board: Board
  readonly events: readonly LoggedEvent[]
  readonly hasDepth: boolean
  /** A line below the table, such as the reason for missing depth. */
  readonly note: string | undefined
}

/** Size of the terminal in columns and rows of characters. */
export interface Size {
  readonly columns: number
  readonly rows: number
}

/** Lines besides tokens, events and the note: titles, hidden tokens, two blanks, status, the hint on Ctrl-C, the cursor. */
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
  const { board, note } = view
  const dimmed = (text: string): string => colours.dim(fit(text, columns))
  const status = drawStatus(board, now, colours, columns)
  const free = rows - otherLines - (note === undefined ? 0 : 1)
  if (free < 1) {
    // Only titles, tokens and the status.
    const tokenLines = board.tokens.length > rows - 3 ? rows - 4 : rows - 3
    return [...drawTokens(view, context, columns, tokenLines), status].slice(-Math.max(1, rows - 1))
  }
  const events = view.events.slice(Math.max(0, view.events.length - Math.floor(free / 2)))
  return [
    ...drawTokens(view, context, columns, free - events.length),
    ...(note === undefined ? [] : [dimmed(note)]),
    '',
    ...events.map(({ at, text }) => dimmed(`${clockTime(at)}  ${text}`)),
    ...(events.length === 0 ? [] : ['']),
    status,
    dimmed('Press Ctrl-C to stop.'),
  ]
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
  const paint =
    status._tag === 'Open' ? colours.live : status._tag === 'Waiting' ? colours.failed : colours.waiting
  return `${paint('●')} ${fit(printable(`${statusText(status)}${uptime}`), columns - 2)}`
}

const clockTime = (at: number): string => new Date(at).toLocaleTimeString('en-GB')
