import { isLeft } from 'fp-ts/lib/Either.js'
import { canonicalAddress, type Address } from '../../domain/address.js'
import type { Depth } from '../../domain/depth.js'
import type { Price } from '../../domain/price.js'
import type { ConnectionStatus } from '../../domain/status.js'
import type { DepthError, PriceError } from '../../errors/model.js'
import type { Row, StatusRow } from '../../recording/format/row.js'
import { rowAddress } from '../output/row-address.js'

/** The state of the watched tokens and of the connection. */
export interface Board {
  readonly tokens: readonly TokenState[]
  readonly status: ConnectionStatus
  /**
   * Time of the status event, in ms since the Unix epoch; of an open connection, when it opened. In a replay, the time of
   * playback.
   */
  readonly statusAt: number
}

export interface TokenState {
  readonly address: Address
  /** The last price; not current while there is a `priceError`. */
  readonly price?: Price | undefined
  /** Time of the price event, in ms since the Unix epoch; 0 before the first. In a replay, the time of playback. */
  readonly priceAt: number
  /** The last price minus the one before, in USD. */
  readonly change?: number | undefined
  readonly priceError?: PriceError | undefined
  /** The last depth; not current while there is a `depthError`. */
  readonly depth?: Depth | undefined
  readonly depthError?: DepthError | undefined
}

export const emptyBoard = (tokens: readonly Address[]): Board => ({
  tokens: tokens.map((address) => ({ address, priceAt: 0 })),
  status: { _tag: 'Idle' },
  statusAt: 0,
})

/** Applies an event to the board. */
export const updateBoard = (board: Board, row: Row): Board => {
  if (row._tag === 'Status') return withStatus(board, row)
  const changed = findToken(board, row)
  if (changed === undefined) return board
  return {
    ...board,
    tokens: board.tokens.map((token) => (token === changed ? updateToken(token, row) : token)),
  }
}

const withStatus = (board: Board, { status, at }: StatusRow): Board => {
  const { status: before, statusAt } = board
  const isSameConnection = status._tag === 'Open' && before._tag === 'Open' && status.epoch === before.epoch
  return { ...board, status, statusAt: isSameConnection ? statusAt : at }
}

/** The watched token of an event, if there is one. */
export const findToken = (board: Board, row: Row): TokenState | undefined => {
  const address = rowAddress(row)
  if (address === undefined) return undefined
  const canonical = canonicalAddress(address)
  return board.tokens.find((token) => canonicalAddress(token.address) === canonical)
}

const updateToken = (token: TokenState, row: Row): TokenState => {
  if (row._tag === 'Price')
    return isLeft(row.event)
      ? { ...token, priceError: row.event.left }
      : withPrice(token, row.event.right, row.at)
  if (row._tag !== 'Depth') return token
  return isLeft(row.event)
    ? { ...token, depthError: row.event.left }
    : { ...token, depth: row.event.right, depthError: undefined }
}

const withPrice = (token: TokenState, price: Price, priceAt: number): TokenState => {
  const change = token.price === undefined ? undefined : price.price - token.price.price
  return { ...token, price, priceAt, change, priceError: undefined }
}
