import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { DefinedToken, Depth } from 'svc-streams'
import { feeFor } from './fees.js'
import { formatMoney, money, quantityFor, shareOf, unitPrice, valueOf, type UnitPrice } from './money.js'
import type { Order, Trade } from './order.js'
import type { Quote } from './market.js'
import { positionOf, type Portfolio } from './portfolio.js'
import type { Settings } from './settings.js'

export interface Fill {
  readonly trade: Trade
  /** The quantity of the order, in base-token units. */
  readonly ordered: bigint
}

/**
 * Fills an order at the midpoint, as far as the depth and the position allow. A `Left` contains the reason for none. There
 * is no price impact: the service trades at the midpoint, and a depth is the quantity that can be traded there.
 */
export const fillOf = (
  order: Order,
  token: DefinedToken,
  quote: Quote,
  portfolio: Portfolio,
  settings: Settings,
): Either<string, Fill> => {
  const { price, depth } = quote
  if (isLeft(price)) return price
  if (isLeft(depth)) return depth
  const age = price.right.receivedAt - depth.right.receivedAt
  if (age > settings.maxDepthAge) return left(`the depth is ${age} ms older than the price`)
  const at = unitPrice(price.right.price)
  const ordered = orderedQuantity(order, at, token.decimals)
  if (ordered <= 0n) return left('the quantity is 0')

  const ofDepth = availableOf(order, depth.right, quote, settings)
  if (ofDepth <= 0n) return left(`the depth has no quantity to ${order.side}`)
  const held = positionOf(portfolio, token.symbol).quantity
  if (order.side === 'sell' && !settings.allowShort && held <= 0n) return left('there is no position to sell')
  const sellable = order.side === 'sell' && !settings.allowShort ? held : ordered
  const quantity = smallest(ordered, ofDepth, sellable)
  const value = valueOf(at, quantity, token.decimals)
  const fee = feeFor(value, settings.feeRate)
  // The rounded fee of a very small sale can be higher than its value.
  const toPay = order.side === 'buy' ? value + fee : fee - value
  if (toPay > portfolio.cash)
    return left(`${formatMoney(toPay)} USD to pay, ${formatMoney(portfolio.cash)} USD in cash`)
  return right({ trade: { symbol: token.symbol, side: order.side, price: at, quantity, fee }, ordered })
}

const orderedQuantity = ({ size }: Order, price: UnitPrice, decimals: number): bigint => {
  if ('units' in size) return size.units
  return price === 0n || !(size.usd > 0) ? 0n : quantityFor(money(size.usd), price, decimals)
}

/** An order takes the side of its name: `buy` is the quantity that can be bought. */
const availableOf = ({ side }: Order, depth: Depth, { taken }: Quote, { depthShare }: Settings): bigint =>
  shareOf(depth[side].totalQuantity, depthShare) - taken[side]

const smallest = (...quantities: readonly [bigint, ...bigint[]]): bigint =>
  quantities.reduce((least, each) => (each < least ? each : least))
