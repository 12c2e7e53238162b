import type { Money, UnitPrice } from './money.js'

// Market orders and their results: an order is filled once, completely or in part, or rejected with a reason.

export type Side = 'buy' | 'sell'

/** In base-token units, or in USD: then the price of the fill decides the quantity, rounded down. */
export type Size = { readonly units: bigint } | { readonly usd: number }

export interface Order {
  /** The symbol of the token. */
  readonly symbol: string
  readonly side: Side
  readonly size: Size
}

/** A trade of one token at one price. */
export interface Trade {
  readonly symbol: string
  readonly side: Side
  readonly price: UnitPrice
  /** In base-token units, above 0. */
  readonly quantity: bigint
  readonly fee: Money
}

/** Times are data times: of the newest data that had been received, in ms since the Unix epoch. */
interface Result {
  /** Number of the order, from 1. */
  readonly id: number
  readonly order: Order
  readonly decidedAt: number
  readonly at: number
}

export interface Filled extends Result {
  readonly _tag: 'Filled'
  readonly trade: Trade
  /** The quantity of the order, in base-token units. The rest of an order that is filled in part is cancelled. */
  readonly ordered: bigint
}

export interface Rejected extends Result {
  readonly _tag: 'Rejected'
  readonly reason: string
}

export const buy = (symbol: string, size: Size): Order => ({ symbol, side: 'buy', size })
export const sell = (symbol: string, size: Size): Order => ({ symbol, side: 'sell', size })
