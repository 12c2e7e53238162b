import { isLeft } from 'fp-ts/lib/Either.js'
import { assertNever } from '../../domain/assert-never.js'
import { behindMsOf, type ConnectionStatus } from '../../domain/status.js'
import { renderError } from '../../errors/render.js'
import { behindText, printable } from '../../errors/text.js'
import type { DepthRow, PriceRow, Row, StatusRow } from '../../recording/format/row.js'
import { shortAddress, type TokenNames } from '../tokens/token-names.js'
import { rowAddress } from '../output/row-address.js'
import { findToken, type Board } from './board.js'

/** A failure, or the recovery from one. */
export interface LoggedEvent {
  /** In ms since the Unix epoch. */
  readonly at: number
  readonly text: string
}

const maxEvents = 5

/**
 * Appends an event to the log if it is worth logging. Abbreviates addresses. Omits a repetition of the last text and a
 * depth error that the board already shows. `board` is the state before the event.
 */
export const logEvent = (
  events: readonly LoggedEvent[],
  board: Board,
  row: Row,
  names: TokenNames,
): readonly LoggedEvent[] => {
  const rawText = logText(board, row, names)
  if (rawText === undefined) return events
  const text = printable(rawText).replace(/0x[0-9a-f]+/gi, shortAddress)
  return events.at(-1)?.text === text ? events : [...events, { at: row.at, text }].slice(-maxEvents)
}

const logText = (board: Board, row: Row, names: TokenNames): string | undefined => {
  const address = rowAddress(row)
  const name = address === undefined ? '' : names.short(address)
  switch (row._tag) {
    case 'Price':
      return priceLogText(row, name)
    case 'Depth':
      return depthLogText(row, name, findToken(board, row)?.depthError?.message)
    case 'Status':
      return statusLogText(row, board.status)
    case 'Uncorrelated':
      return renderError(row.error)
    case 'End':
      return undefined
    default:
      return assertNever(row)
  }
}

/** `Disconnected`, and `Stale` behind a slow connection, affect all tokens. Their text names none, so that it is logged once. */
const priceLogText = ({ event }: PriceRow, name: string): string | undefined => {
  if (!isLeft(event)) return undefined
  const { left: error } = event
  if (error._tag === 'Stale' && error.behindMs !== undefined) return heldText(error.behindMs)
  const text = renderError(error)
  return error._tag === 'Disconnected' ? text : `${name} ${text}`
}

/** Consecutive polls may fail with the same error. */
const depthLogText = ({ event }: DepthRow, name: string, previousMessage: string | undefined) =>
  isLeft(event) && event.left.message !== previousMessage
    ? `${name} depth ${renderError(event.left)}`
    : undefined

const statusLogText = ({ status }: StatusRow, before: ConnectionStatus): string | undefined => {
  if (status._tag !== 'Open') return undefined
  if (status.behindMs !== undefined) return heldText(status.behindMs)
  if (behindMsOf(before) !== undefined) return 'prices are current again'
  return status.epoch > 1 ? `reconnected, epoch ${status.epoch}` : undefined
}

const heldText = (behindMs: number): string => `${behindText(behindMs)}: prices are held`
