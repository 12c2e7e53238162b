import { printable } from '../../errors/text.js'
import type { Colours } from '../output/colours.js'
import { fit } from '../output/display-width.js'
import { formatAge } from '../output/format.js'
import { statusText } from '../output/status-text.js'
import { drawTable } from '../output/table.js'
import type { Board } from './board.js'
import { depthColumns, priceColumns, type DrawContext } from './columns.js'
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

/** Lines besides tokens and events: titles, note, blank lines, status, the hint on Ctrl-C and the cursor's line. */
const otherLines = 7

/** The lines of the screen: the table, the event log and the connection status, cut to the terminal's size. */
export const drawBoard = (
  view: BoardView,
  context: DrawContext,
  { columns, rows }: Size,
): readonly string[] => {
  const { board, events, hasDepth, note } = view
  const { colours, now } = context
  const tokenLines = Math.max(1, rows - otherLines - events.length)
  const shown = board.tokens.slice(0, tokenLines)
  const table = drawTable(
    [...priceColumns(shown, context), ...(hasDepth ? depthColumns(shown, context) : [])],
    columns,
    colours.dim,
  )
  const hidden = board.tokens.length - shown.length
  const notes = [
    ...(hidden === 0 ? [] : [`and ${hidden} more that do not fit on the screen`]),
    ...(note === undefined ? [] : [note]),
  ]
  return [
    ...table,
    ...notes.map((line) => colours.dim(fit(line, columns))),
    '',
    ...events.map(({ at, text }) => colours.dim(fit(`${clockTime(at)}  ${text}`, columns))),
    ...(events.length === 0 ? [] : ['']),
    drawStatus(board, now, colours, columns),
    colours.dim(fit('Press Ctrl-C to stop.', columns)),
  ]
}

const drawStatus = ({ status, statusAt }: Board, now: number, colours: Colours, columns: number): string => {
  const uptime = status._tag === 'Open' ? `, up ${formatAge(now - statusAt)}` : ''
  const paint =
    status._tag === 'Open' ? colours.live : status._tag === 'Waiting' ? colours.failed : colours.waiting
  return `${paint('●')} ${fit(printable(`${statusText(status)}${uptime}`), columns - 2)}`
}

const clockTime = (at: number): string => new Date(at).toLocaleTimeString('en-GB')
