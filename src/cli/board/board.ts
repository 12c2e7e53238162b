import { isLeft } from 'fp-ts/lib/Either.js'
import { canonicalAddress, type Address } from '../../domain/address.js'
import type { Depth } from '../../domain/depth.js'
import type { Price } from '../../domain/price.js'
import type { ConnectionStatus } from '../../domain/status.js'
import type { DepthError, PriceError } from '../../errors/model.js'
import type { Row } from '../../recording/format/row.js'
import { rowAddress } from '../output/row-address.js'

/** What is known of the watched tokens at a moment. */
export interface Board {
  readonly tokens: readonly TokenState[]
  readonly status: ConnectionStatus
  /** When that came, likewise. */
  readonly statusAt: number
}

export interface TokenState {
  readonly address: Address
  /** The last price that came; not current where there is a `priceError`. */
  readonly price?: Price | undefined
  /** When it came, in ms since the Unix epoch: in a replay not when it was so. 0 before the first. */
  readonly priceAt: number
  /** From the price before the last to the last, in USD. */
  readonly change?: number | undefined
  readonly priceError?: PriceError | undefined
  /** The last depth that came; not current where there is a `depthError`. */
  readonly depth?: Depth | undefined
  readonly depthError?: DepthError | undefined
}

export const emptyBoard = (tokens: readonly Address[]): Board => ({
  tokens: tokens.map((address) => ({ address, priceAt: 0 })),
  status: { _tag: 'Idle' },
  statusAt: 0,
})

/** The board after an event. */
export const updateBoard = (board: Board, row: Row): Board => {
  if (row._tag === 'Status') return { ...board, status: row.status, statusAt: row.at }
  const changed = tokenOf(board, row)
  if (changed === undefined) return board
  return {
    ...board,
    tokens: board.tokens.map((token) => (token === changed ? updateToken(token, row) : token)),
  }
}

/** The token that an event is about, as the board has it; `undefined` where it is about none of them. */
export const tokenOf = (board: Board, row: Row): TokenState | undefined => {
  const address = rowAddress(row)
  if (address === undefined) return undefined
  const wanted = canonicalAddress(address)
  return board.tokens.find((token) => canonicalAddress(token.address) === wanted)
}

const updateToken = (token: TokenState, row: Row): TokenState => {
  if (row._tag === 'Price')
    return isLeft(row.event)
      ? { ...token, priceError: row.event.left }
      : priced(token, row.event.right, row.at)
  if (row._tag !== 'Depth') return token
  return isLeft(row.event)
    ? { ...token, depthError: row.event.left }
    : { ...token, depth: row.event.right, depthError: undefined }
}

const priced = (token: TokenState, price: Price, priceAt: number): TokenState => {
  const change = token.price === undefined ? undefined : price.price - token.price.price
  return { ...token, price, priceAt, change, priceError: undefined }
}
