// The orders of a strategy. They are data: plain objects that these functions create.

export type Side = 'buy' | 'sell'

/** In base-token units, or in USD without fee. USD become units, rounded down, at the price of the first fill. */
export type Size = { readonly units: bigint } | { readonly usd: number }

export interface OrderOptions {
  /** The name of the order, in its events and for `cancel`. Default: `'1'`, `'2'`, … in the order of decision. */
  readonly id?: string
  /**
   * What happens to the rest after the first fill: `cancel` ends the order, `work` keeps it open. Default: `cancel` for
   * market orders, `work` for the others.
   */
  readonly rest?: 'cancel' | 'work'
}

interface SidedOrder extends OrderOptions {
  /** The symbol of a token of the account. */
  readonly symbol: string
  readonly side: Side
  readonly size: Size
}

export interface MarketOrder extends SidedOrder {
  readonly _tag: 'Market'
}

export interface LimitOrder extends SidedOrder {
  readonly _tag: 'Limit'
  /** USD for one token: the most that a buy pays, the least that a sell gets. */
  readonly price: number
}

export interface StopOrder extends SidedOrder {
  readonly _tag: 'Stop'
  /** USD for one token. A buy is triggered by this price or a higher one, a sell by this one or a lower one. */
  readonly price: number
}

export interface TrailingStopOrder extends SidedOrder {
  readonly _tag: 'TrailingStop'
  /** The distance from the best price since the decision, in basis points: a sell follows the highest price. */
  readonly bps: number
}

export interface TargetOrder {
  readonly _tag: 'Target'
  readonly symbol: string
  /** The size of the position, negative for a short one. */
  readonly size: Size
}

export interface ClosePositionOrder {
  readonly _tag: 'ClosePosition'
  readonly symbol: string
}

/** An order that can be filled. */
export type TradeOrder =
  MarketOrder | LimitOrder | StopOrder | TrailingStopOrder | TargetOrder | ClosePositionOrder

export interface CancelOrder {
  readonly _tag: 'Cancel'
  readonly id: string
}

export type Order = TradeOrder | CancelOrder

/** Buys or sells at the first price after the latency. */
export const market = (symbol: string, side: Side, size: Size, options: OrderOptions = {}): MarketOrder => ({
  _tag: 'Market',
  ...{ symbol, side, size },
  ...options,
})

/** Buys at this price or lower, or sells at this price or higher. Works until it is filled: from the second price on, at its own price. */
export const limit = (
  symbol: string,
  side: Side,
  size: Size,
  price: number,
  options: OrderOptions = {},
): LimitOrder => ({ _tag: 'Limit', symbol, side, size, price, ...options })

/** Becomes a market order that works, when a price has reached this price. */
export const stop = (
  symbol: string,
  side: Side,
  size: Size,
  price: number,
  options: OrderOptions = {},
): StopOrder => ({ _tag: 'Stop', symbol, side, size, price, ...options })

/** Becomes a market order that works, when a price is `bps` or more off the best price since the decision. */
export const trailingStop = (
  symbol: string,
  side: Side,
  size: Size,
  { bps }: { readonly bps: number },
  options: OrderOptions = {},
): TrailingStopOrder => ({ _tag: 'TrailingStop', symbol, side, size, bps, ...options })

/** A market order for the difference between the position, when it is filled, and this size. */
export const target = (symbol: string, size: Size): TargetOrder => ({ _tag: 'Target', symbol, size })

/** A market order for the whole position, when it is filled. */
export const closePosition = (symbol: string): ClosePositionOrder => ({ _tag: 'ClosePosition', symbol })

/** Ends an open order at once. */
export const cancel = (id: string): CancelOrder => ({ _tag: 'Cancel', id })
