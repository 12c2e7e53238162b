import { valueOf, type Money } from './money.js'
import type { Trade } from './order.js'

// Cash and positions by average cost. After each trade, exactly:
//
//   cash + the costs of all positions = cash at the start + realised - fees
//   equity = cash + the values of all positions = cash at the start + realised + unrealised - fees

export interface Position {
  /** Below 0 after a short sale. */
  readonly quantity: bigint
  /** The cost of the quantity, without fees. For a short position: minus the proceeds of its sale. */
  readonly cost: Money
}

export interface Portfolio {
  readonly cash: Money
  /** Sum of all fees. */
  readonly fees: Money
  /** Profit of all closed quantities, without fees. */
  readonly realised: Money
  /** By symbol. A closed position stays, with quantity 0. */
  readonly positions: ReadonlyMap<string, Position>
}

export const flat: Position = { quantity: 0n, cost: 0n }

export const emptyPortfolio = (cash: Money): Portfolio => ({
  cash,
  fees: 0n,
  realised: 0n,
  positions: new Map(),
})

export const positionOf = ({ positions }: Portfolio, symbol: string): Position =>
  positions.get(symbol) ?? flat

/** `decimals` of the token. */
export const applyTrade = (portfolio: Portfolio, trade: Trade, decimals: number): Portfolio => {
  const before = positionOf(portfolio, trade.symbol)
  const change = trade.side === 'buy' ? trade.quantity : -trade.quantity
  const paid = valueOf(trade.price, change, decimals)
  const closed = closedQuantity(before.quantity, change)
  // The division is the only rounding. Its remainder, below 1e-48 USD, stays in the cost of the position.
  const released = closed === 0n ? 0n : (before.cost * closed) / before.quantity
  const received = valueOf(trade.price, closed, decimals)
  const after = { quantity: before.quantity + change, cost: before.cost - released + paid + received }
  return {
    cash: portfolio.cash - paid - trade.fee,
    fees: portfolio.fees + trade.fee,
    realised: portfolio.realised + received - released,
    positions: new Map(portfolio.positions).set(trade.symbol, after),
  }
}

/** The part of a position that a change closes, with the sign of the position. */
const closedQuantity = (quantity: bigint, change: bigint): bigint => {
  if (quantity > 0n && change < 0n) return quantity < -change ? quantity : -change
  if (quantity < 0n && change > 0n) return quantity > -change ? quantity : -change
  return 0n
}
