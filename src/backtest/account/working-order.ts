import type { Price } from '../../base/domain/price.js'
import type { Settings } from './options.js'
import type { Side, TradeOrder } from './orders.js'
import { smaller, type TokenState } from './token-state.js'

/** An open order. Changed in place. */
export interface WorkingOrder {
  readonly id: string
  readonly order: TradeOrder
  readonly state: TokenState
  /** When it was decided, in ms since the Unix epoch. */
  readonly decidedAt: number
  readonly rest: 'cancel' | 'work'
  /** In base-token units; undefined for a size that the first fill decides. */
  remaining: bigint | undefined
  /** The best price since the decision, of a trailing stop. */
  best: number | undefined
  /** When a price triggered a stop; undefined before. */
  triggeredAt: number | undefined
  /** True for a limit whose first price after the latency has passed: it fills at its own price. */
  isResting: boolean
  /** Of a liquidation: the price that caused it, which does not fill it. */
  readonly causedBy?: Price | undefined
  readonly isForced: boolean
}

export const workingOrder = (
  id: string,
  order: TradeOrder,
  state: TokenState,
  decidedAt: number,
): WorkingOrder => ({
  ...{ id, order, state, decidedAt, rest: restOf(order) },
  remaining: 'side' in order && 'units' in order.size ? order.size.units : undefined,
  best: order._tag === 'TrailingStop' ? state.price?.price : undefined,
  triggeredAt: undefined,
  isResting: false,
  isForced: false,
})

const isMarket = ({ _tag }: TradeOrder): boolean =>
  _tag === 'Market' || _tag === 'Target' || _tag === 'ClosePosition'

const restOf = (order: TradeOrder): 'cancel' | 'work' =>
  ('rest' in order ? order.rest : undefined) ?? (isMarket(order) ? 'cancel' : 'work')

/** True for a market order that does not work: it is rejected where others wait. */
const isImmediate = ({ order, rest }: WorkingOrder): boolean => rest === 'cancel' && isMarket(order)

/** Follows a new price of the order's token. True if that changes the order. */
export const followPrice = (
  working: WorkingOrder,
  { price, receivedAt }: Price,
  { latency }: Settings,
): boolean => {
  const { order, state, best, decidedAt, triggeredAt } = working
  if (state.isLate) return false
  if ((order._tag !== 'Stop' && order._tag !== 'TrailingStop') || triggeredAt !== undefined) return false
  const isArmed = receivedAt >= decidedAt + latency
  if (order._tag === 'Stop') {
    if (isArmed && (order.side === 'buy' ? price >= order.price : price <= order.price))
      working.triggeredAt = receivedAt
  } else if (best === undefined || (order.side === 'sell' ? price > best : price < best)) {
    working.best = price
    return true
  } else if (isArmed && isOff(price, best, order.side, order.bps)) working.triggeredAt = receivedAt
  return working.triggeredAt !== undefined
}

const isOff = (price: number, best: number, side: Side, bps: number): boolean =>
  side === 'sell' ? price <= best * (1 - bps / 10_000) : price >= best * (1 + bps / 10_000)

/** What becomes of an order now. */
export type Outcome =
  | { readonly _tag: 'Waits' }
  | { readonly _tag: 'Rejected'; readonly reason: string }
  /** The position is what the order wants. */
  | { readonly _tag: 'NothingToDo' }
  | { readonly _tag: 'Fills'; readonly fill: Fill }

/** Amounts in USD. */
export interface Fill {
  readonly side: Side
  /** With slippage. */
  readonly price: number
  readonly quantity: bigint
  readonly remaining: bigint
  readonly value: number
  readonly fee: number
  readonly slippage: number
}

const waits: Outcome = { _tag: 'Waits' }
const rejected = (reason: string): Outcome => ({ _tag: 'Rejected', reason })

/**
 * Changes nothing. `exceedsLeverage`: true if the account must not have the positions that a fill leaves; what reduces a
 * position is not asked for.
 */
export const outcomeOf = (
  working: WorkingOrder,
  settings: Settings,
  exceedsLeverage: (fill: Fill) => boolean,
): Outcome => {
  const { state } = working
  const { price, priceProblem } = state
  if (price === undefined)
    return priceProblem !== undefined && isImmediate(working) ? rejected(priceProblem) : waits
  if (!isAllowed(working, price, settings)) return waits
  const problem = state.depthProblem(price, settings)
  if (problem !== undefined) return isImmediate(working) ? rejected(problem) : waits
  const { side, quantity: wanted } = wantedOf(working, settings)
  if (wanted === 0n)
    return 'side' in working.order
      ? rejected('the size is less than one base-token unit')
      : { _tag: 'NothingToDo' }
  const isLimited = side === 'sell' && !settings.allowShort
  if (isLimited && state.quantity <= 0n)
    return rejected(`there is no position of ${state.token.symbol} to sell`)
  const available = smaller(state.availableOf(side, settings), wanted)
  const quantity = isLimited ? smaller(available, state.quantity) : available
  if (quantity <= 0n) return isImmediate(working) ? rejected(`the depth has no quantity to ${side}`) : waits
  const fill = fillOf(working, side, quantity, wanted, settings)
  const reducing = smaller(state.reducibleBy(side), quantity)
  if (reducing === quantity || !exceedsLeverage(fill)) return { _tag: 'Fills', fill }
  return reducing === 0n
    ? rejected(`the positions would exceed the equity times maxLeverage, ${settings.maxLeverage}`)
    : { _tag: 'Fills', fill: fillOf(working, side, reducing, wanted, settings) }
}

/** True if the current price fills an order. */
const isAllowed = (working: WorkingOrder, price: Price, settings: Settings): boolean => {
  const { order, state, decidedAt, triggeredAt, isForced, causedBy } = working
  if (state.isLate) return false
  if (isForced) return price !== causedBy
  if (order._tag === 'Stop' || order._tag === 'TrailingStop')
    return triggeredAt !== undefined && price.receivedAt >= triggeredAt + settings.latency
  if (price.receivedAt < decidedAt + settings.latency) return false
  if (order._tag !== 'Limit') return true
  const paid = state.priceFor(order.side, settings)
  return order.side === 'buy' ? paid <= order.price : paid >= order.price
}

/** What an order pays or gets now: a limit that rests its own price, because nobody fills it better. */
const priceOf = ({ order, state, isResting }: WorkingOrder, side: Side, settings: Settings): number =>
  order._tag === 'Limit' && isResting ? order.price : state.priceFor(side, settings)

/** A fill at the current price, or of a limit that rests at its own. */
export const fillOf = (
  working: WorkingOrder,
  side: Side,
  quantity: bigint,
  wanted: bigint,
  settings: Settings,
): Fill => {
  const { state } = working
  const price = priceOf(working, side, settings)
  const amount = state.amountOf(quantity)
  const value = amount * price
  const atMidpoint = amount * state.lastPrice
  const fee = (value * settings.feeBps) / 10_000
  const slippage = side === 'buy' ? value - atMidpoint : atMidpoint - value
  return { side, price, quantity, remaining: wanted - quantity, value, fee, slippage }
}

/** A side and a quantity that an order lacks at a price. */
interface Wanted {
  readonly side: Side
  readonly quantity: bigint
}

/** What an order wants at the current price; a quantity of 0 if there is nothing to do. */
const wantedOf = (working: WorkingOrder, settings: Settings): Wanted => {
  const { order, state, remaining } = working
  const unitsFor = (usd: number, side: Side): bigint => state.unitsFor(usd, priceOf(working, side, settings))
  if ('side' in order) {
    const { side, size } = order
    return { side, quantity: remaining ?? ('usd' in size ? unitsFor(size.usd, side) : size.units) }
  }
  const size = order._tag === 'Target' ? order.size : { units: 0n }
  if ('units' in size) return wantedUpTo(state.quantity, size.units, size.units)
  return wantedUpTo(state.quantity, unitsFor(size.usd, 'buy'), unitsFor(size.usd, 'sell'))
}

/** A target of USD is a band between what it is at the price of a buy and at that of a sell. */
const wantedUpTo = (held: bigint, atBuy: bigint, atSell: bigint): Wanted => {
  const least = smaller(atBuy, atSell)
  const most = atBuy + atSell - least
  if (held < least) return { side: 'buy', quantity: least - held }
  return { side: 'sell', quantity: held > most ? held - most : 0n }
}
