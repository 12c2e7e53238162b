import type { WriteError } from '../../base/errors/model.js'
import type { Order, Side, TradeOrder } from './orders.js'

// The events of an account. Times are data times: the latest `receivedAt` so far, in ms since the Unix epoch; 0 before
// the first data. Prices are in USD for one token. Quantities are in base-token units. Amounts in USD are
// doubles, computed in the order of events: equal on each run.

/** A fill of an order, whole or in part. */
export interface Filled {
  readonly _tag: 'Filled'
  readonly id: string
  /** As the strategy has returned it. */
  readonly order: TradeOrder
  readonly symbol: string
  readonly side: Side
  /** Of an order that an event of the client causes: data time; of any other: the time of the strategy's clock. */
  readonly decidedAt: number
  readonly at: number
  /** What was paid or got, with slippage, without fee. */
  readonly price: number
  readonly quantity: bigint
  /** The value at that price, without fee. */
  readonly valueUsd: number
  readonly feeUsd: number
  /** The value at that price less the value at the price of the service; of a sell, the reverse. */
  readonly slippageUsd: number
  /** The quantity that is not filled. */
  readonly remaining: bigint
}

/** An order that ends without a fill, or without a further fill. */
export interface Rejected {
  readonly _tag: 'Rejected'
  readonly id: string
  /** As the strategy has returned it. In plain JavaScript, it may be anything. */
  readonly order: Order
  readonly decidedAt: number
  readonly at: number
  readonly reason: string
}

/** The end of an order by `cancel`, or after its first fill. */
export interface Cancelled {
  readonly _tag: 'Cancelled'
  readonly id: string
  readonly order: TradeOrder
  readonly at: number
  /** `null` for an order in USD, and for one that depends on the position, without a fill. */
  readonly remaining: bigint | null
}

/** The equity is 0 or less: the open orders are cancelled, the positions are closed with the next prices, and further orders are rejected. */
export interface Liquidated {
  readonly _tag: 'Liquidated'
  readonly at: number
  readonly equityUsd: number
}

/**
 * The value of the account: with the first data, with the first price of each token, after fills, when `isCurrent` changes, and
 * each `sampleMs`; at that time, with each price.
 */
export interface Equity {
  readonly _tag: 'Equity'
  readonly at: number
  /** Cash and the positions at their last prices. */
  readonly equityUsd: number
  /** False while the price of a token that is held is not current. */
  readonly isCurrent: boolean
  /** The last price of each token, by symbol. A token without a price yet is absent. */
  readonly prices: Readonly<Record<string, number>>
}

/** The end of a run. */
export interface Account {
  readonly _tag: 'Account'
  readonly at: number
  readonly cashUsd: number
  readonly equityUsd: number
  /** The sum of all fees. */
  readonly feesUsd: number
  readonly positions: readonly HeldPosition[]
}

/** A position that is not 0. */
export interface HeldPosition {
  readonly symbol: string
  /** Negative for a short position. */
  readonly quantity: bigint
  /** The average of what was paid, or got for a short position, without fees. */
  readonly averagePrice: number
  /** The profit at the last price, without fees. */
  readonly unrealisedUsd: number
}

/** A `WriteError` is the last event of a run whose journal cannot be opened or written. */
export type PaperEvent = Filled | Rejected | Cancelled | Liquidated | Equity | Account | WriteError

export interface OpenOrder {
  readonly id: string
  readonly order: TradeOrder
  /** `null` for an order in USD, and for one that depends on the position, without a fill. */
  readonly remaining: bigint | null
}

export interface Position {
  /** Base-token units; negative for a short position. */
  readonly quantity: bigint
  /** The average of what was paid, or got for a short position, without fees. `null` without a position. */
  readonly averagePrice: number | null
}
