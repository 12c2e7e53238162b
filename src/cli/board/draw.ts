import type { Colours } from '../output/colours.js'
import { formatAge } from '../output/format.js'
import { printable } from '../output/printable.js'
import { statusText } from '../output/status-text.js'
import { drawTable } from '../output/table.js'
import type { Board } from './board.js'
import { depthColumns, priceColumns, type Look } from './columns.js'
import type { LoggedEvent } from './event-log.js'

export interface Picture {
  readonly board: Board
  readonly news: readonly LoggedEvent[]
  readonly hasDepth: boolean
  /** What is to be said below the table, such as why there is no depth. */
  readonly note: string | undefined
}

/** Of the terminal, in characters. */
export interface Size {
  readonly columns: number
  readonly rows: number
}

/** What is on the screen besides the tokens, in lines: titles, blank lines, status, Ctrl-C, and where the cursor is. */
const besides = 7

/** The table, the news below it, and how the connection is: as lines that fit. */
export const drawBoard = (picture: Picture, look: Look, { columns, rows }: Size): readonly string[] => {
  const { board, news, hasDepth, note } = picture
  const { colours, now } = look
  const room = Math.max(1, rows - besides - news.length)
  const shown = board.tokens.slice(0, room)
  const table = drawTable(
    [...priceColumns(shown, look), ...(hasDepth ? depthColumns(shown, look) : [])],
    columns,
    colours.dim,
  )
  const hidden = board.tokens.length - shown.length
  const notes = [
    ...(hidden === 0 ? [] : [`and ${hidden} more, for which there is no room`]),
    ...(note === undefined ? [] : [note]),
  ]
  return [
    ...table,
    ...notes.map((note) => colours.dim(fit(note, columns))),
    '',
    ...news.map(({ at, text }) => colours.dim(fit(`${clock(at)}  ${text}`, columns))),
    ...(news.length === 0 ? [] : ['']),
    drawStatus(board, now, colours, columns),
    colours.dim('Ctrl-C ends it.'),
  ]
}

const drawStatus = ({ status, statusAt }: Board, now: number, colours: Colours, columns: number): string => {
  const up = status._tag === 'Open' ? `, up ${formatAge(now - statusAt)}` : ''
  const paint =
    status._tag === 'Open' ? colours.green : status._tag === 'Waiting' ? colours.red : colours.yellow
  return `${paint('●')} ${fit(printable(`${statusText(status)}${up}`), columns - 2)}`
}

const fit = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text

const clock = (at: number): string => new Date(at).toLocaleTimeString('en-GB')
