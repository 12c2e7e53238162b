import { exact, priceDigits, shareOf, smaller, whole } from './exact.js'
import type { Side, TradeOrder } from './orders.js'
import type { Price } from '../../base/domain/price.js'
import { pricedDigits, type TokenState } from './token-state.js'
import type { Settings } from './options.js'

/** An open order. Changed in place. */
export interface WorkingOrder {
  readonly id: string
  readonly order: TradeOrder
  readonly state: TokenState
  /** In base-token units; undefined for a size that the first fill decides. */
  remaining: bigint | undefined
  /** The best price since the decision, of a trailing stop. */
  best: number | undefined
  /** False for a stop that no price has triggered. */
  isTriggered: boolean
}

/** The orders of a `together`, or one order. */
export interface OrderGroup {
  readonly decidedAt: number
  readonly rest: 'cancel' | 'work'
  readonly orders: readonly WorkingOrder[]
}

export const workingOrder = (id: string, order: TradeOrder, state: TokenState): WorkingOrder => ({
  id,
  order,
  state,
  remaining: 'side' in order && 'units' in order.size ? order.size.units : undefined,
  best: order._tag === 'TrailingStop' ? state.price?.price : undefined,
  isTriggered: order._tag !== 'Stop' && order._tag !== 'TrailingStop',
})

/** `work` if each order works. */
export const restOf = (orders: readonly TradeOrder[]): 'cancel' | 'work' =>
  orders.every((order) => (('rest' in order ? order.rest : undefined) ?? defaultRest(order)) === 'work')
    ? 'work'
    : 'cancel'

const isMarket = ({ _tag }: TradeOrder): boolean =>
  _tag === 'Market' || _tag === 'Target' || _tag === 'ClosePosition'

const defaultRest = (order: TradeOrder): 'cancel' | 'work' => (isMarket(order) ? 'cancel' : 'work')

/** True for a market order that does not work: it is rejected where others wait. */
export const isImmediate = ({ order }: WorkingOrder, { rest }: OrderGroup): boolean =>
  rest === 'cancel' && isMarket(order) && !('rest' in order && order.rest === 'work')

/**
 * Follows a new price of the order's token. True if that changes the order. `isDue`: the price was received after the
 * latency.
 */
export const followPrice = (working: WorkingOrder, { price }: Price, isDue: boolean): boolean => {
  const { order, best } = working
  if (working.isTriggered) return false
  if (order._tag === 'TrailingStop') {
    const isBest = best === undefined || (order.side === 'sell' ? price > best : price < best)
    if (isBest) working.best = price
    else if (isDue && isOff(price, best, order.side, order.bps)) working.isTriggered = true
    return isBest || working.isTriggered
  }
  if (order._tag !== 'Stop' || !isDue) return false
  working.isTriggered = order.side === 'buy' ? price >= order.price : price <= order.price
  return working.isTriggered
}

const isOff = (price: number, best: number, side: Side, bps: number): boolean => {
  const share = side === 'sell' ? whole - shareOf(bps) : whole + shareOf(bps)
  const bound = exact(best, priceDigits) * share
  const scaled = exact(price, priceDigits) * whole
  return side === 'sell' ? scaled <= bound : scaled >= bound
}

/** True if a price allows a fill. */
export const isAllowedBy = (
  { order, isTriggered, state }: WorkingOrder,
  { price }: Price,
  settings: Settings,
): boolean => {
  if (order._tag !== 'Limit') return isTriggered
  // Most prices are far from the limit: the exact product is for the others.
  if (order.side === 'buy' ? price > order.price * 1.000001 : price < order.price * 0.999999) return false
  const paid = state.priceFor(order.side, settings)
  const bound = exact(order.price, pricedDigits)
  return order.side === 'buy' ? paid <= bound : paid >= bound
}

/** A side and a quantity that an order lacks at a price. */
export interface Wanted {
  readonly side: Side
  readonly quantity: bigint
}

/** What an order wants at the current price; a quantity of 0 if there is nothing to do. */
export const wantedOf = (working: WorkingOrder, settings: Settings): Wanted => {
  const { order, state, remaining } = working
  const unitsFor = (usd: bigint, side: Side): bigint => state.quantityFor(usd, state.priceFor(side, settings))
  const usdOf = ({ usd }: { readonly usd: number }): bigint => exact(usd, settings.digits)
  if ('side' in order) {
    const { side, size } = order
    return { side, quantity: remaining ?? ('usd' in size ? unitsFor(usdOf(size), side) : size.units) }
  }
  const size = order._tag === 'Target' ? order.size : { units: 0n }
  if ('units' in size) return wantedUpTo(state.quantity, size.units, size.units)
  const usd = usdOf(size)
  return wantedUpTo(state.quantity, unitsFor(usd, 'buy'), unitsFor(usd, 'sell'))
}

/** A target of USD is a band between what it is at the price of a buy and at that of a sell. */
const wantedUpTo = (held: bigint, atBuy: bigint, atSell: bigint): Wanted => {
  const least = smaller(atBuy, atSell)
  const most = atBuy + atSell - least
  if (held < least) return { side: 'buy', quantity: least - held }
  return { side: 'sell', quantity: held > most ? held - most : 0n }
}
