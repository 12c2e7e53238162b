import type { Price } from '../../base/domain/price.js'
import { renderError } from '../../base/errors/render.js'
import type { Settings } from './options.js'
import type { Side, TradeOrder, TrailingStopOrder } from './orders.js'
import type { AccountState, TradeDecision, WorkingOrder } from './state.js'
import type { TokenState } from './token-state.js'

/** `passed`: of a `WorkingOrder`. */
export const workingOrder = (decision: TradeDecision, token: TokenState, passed?: Price): WorkingOrder => {
  const { order } = decision
  return {
    ...{ ...decision, token, passed, triggeredAt: undefined, isResting: false },
    remaining: 'side' in order && 'units' in order.size ? order.size.units : undefined,
    best: order._tag === 'TrailingStop' ? token.price?.price : undefined,
  }
}

const isMarket = ({ _tag }: TradeOrder): boolean =>
  _tag === 'Market' || _tag === 'Target' || _tag === 'ClosePosition'

/** Follows a new price of the order's token. True if that changes the order. */
export const followPrice = (working: WorkingOrder, current: Price, { latency }: Settings): boolean => {
  const { price, receivedAt } = current
  const { order, token, best, decidedAt, triggeredAt } = working
  if ((order._tag !== 'Stop' && order._tag !== 'TrailingStop') || triggeredAt !== undefined) return false
  if (token.fillsNothing || current === working.passed) return false
  const isSell = order.side === 'sell'
  if (order._tag === 'TrailingStop' && (best === undefined || (isSell ? price > best : price < best))) {
    working.best = price
    return true
  }
  const bound = order._tag === 'Stop' ? order.price : boundOf(order, best ?? price)
  const isTriggered = receivedAt >= decidedAt + latency && (isSell ? price <= bound : price >= bound)
  if (isTriggered) working.triggeredAt = receivedAt
  return isTriggered
}

/** A share of a price, far above the rounding of doubles: a price at exactly the distance triggers a trailing stop. */
const rounding = 1e-12

/** The price that triggers a trailing stop. */
const boundOf = ({ side, bps }: TrailingStopOrder, best: number): number =>
  best * (side === 'sell' ? 1 - bps / 10_000 + rounding : 1 + bps / 10_000 - rounding)

/** Fills or rejects an order as far as the current price and depth allow. Returns true if it is open afterwards. */
export const tryToFill = (state: AccountState, working: WorkingOrder): boolean => {
  const { settings } = state
  const { order, token, isResting } = working
  const { price } = token
  // First, because most prices come before an order is due.
  if (price !== undefined && !isDue(state, working, price)) return true
  const reject = (reason: string): false => {
    state.reject(working, reason)
    return false
  }
  // A market order that does not work is rejected where others wait.
  const waitFor = (problem: string): boolean => works(state, order) || !isMarket(order) || reject(problem)
  if (price === undefined) return token.priceError === undefined || waitFor(renderError(token.priceError))
  // A limit order that was open before fills at its own price, never at a better one.
  const priceOf = (side: Side): number =>
    order._tag === 'Limit' && isResting ? order.price : token.priceFor(side, settings)
  if (order._tag === 'Limit') {
    working.isResting = true
    state.isChanged ||= !isResting
    const paid = token.priceFor(order.side, settings)
    if (order.side === 'buy' ? paid > order.price : paid < order.price) return true
  }
  const problem = token.depthProblem(price, settings)
  if (problem !== undefined) return waitFor(problem)
  const lacking = wantedBy(working, priceOf)
  if (lacking === 0n) {
    state.isChanged = true
    return 'side' in order && reject('the size is less than one base-token unit')
  }
  const [side, wanted]: [Side, bigint] = lacking > 0n ? ['buy', lacking] : ['sell', -lacking]
  const held = token.position.quantity
  const isLimited = side === 'sell' && !settings.allowShort
  if (isLimited && held <= 0n) return reject(`there is no position of ${order.symbol} to sell`)
  const available = smaller(token.availableOf(side, settings), wanted)
  const fillable = isLimited ? smaller(available, held) : available
  if (fillable <= 0n) return waitFor(`the depth has no quantity to ${side}`)
  const reducing = smaller(token.reducibleBy(side), fillable)
  const isExcessive = reducing < fillable && exceedsLeverage(state, token, side, fillable, priceOf(side))
  if (isExcessive && reducing === 0n)
    return reject(`the positions would exceed the equity times maxLeverage, ${settings.maxLeverage}`)
  fill(state, working, side, isExcessive ? reducing : fillable, wanted, priceOf(side))
  if (working.remaining === 0n) return false
  if (works(state, order)) return true
  state.cancel(working)
  return false
}

/** True if the current price came at a time at which it can fill the order. */
const isDue = ({ isLiquidated, settings }: AccountState, working: WorkingOrder, price: Price): boolean => {
  const { order, token, decidedAt, passed, triggeredAt } = working
  if (token.fillsNothing || price === passed) return false
  if (isLiquidated) return true
  const isStop = order._tag === 'Stop' || order._tag === 'TrailingStop'
  return price.receivedAt >= (isStop ? (triggeredAt ?? Infinity) : decidedAt) + settings.latency
}

/** True if the order stays open after its first fill. */
const works = ({ isLiquidated }: AccountState, order: TradeOrder): boolean => {
  const rest = ('rest' in order ? order.rest : undefined) ?? (isMarket(order) ? 'cancel' : 'work')
  return isLiquidated || rest === 'work'
}

/** The quantity that an order lacks at a price, negative for a sell; 0 if there is nothing to do. */
const wantedBy = ({ order, token, remaining }: WorkingOrder, priceOf: (side: Side) => number): bigint => {
  // The other one of `units` and `usd` may be there, and undefined.
  const unitsOf = (size: { readonly units?: bigint; readonly usd?: number }, side: Side): bigint =>
    size.units ?? token.unitsFor(size.usd ?? 0, priceOf(side))
  if ('side' in order) {
    const { side, size } = order
    const quantity = remaining ?? unitsOf(size, side)
    return side === 'buy' ? quantity : -quantity
  }
  const size = order._tag === 'Target' ? order.size : { units: 0n }
  // A target of USD is a band between what it is at the price of a buy and at that of a sell.
  const [atBuy, atSell] = [unitsOf(size, 'buy'), unitsOf(size, 'sell')]
  const least = smaller(atBuy, atSell)
  const most = atBuy + atSell - least
  const { quantity: held } = token.position
  if (held < least) return least - held
  return held > most ? most - held : 0n
}

/** True if the values of the positions after a fill exceed the equity after it, times `maxLeverage`. */
const exceedsLeverage = (
  { cash, tokens, settings }: AccountState,
  filled: TokenState,
  side: Side,
  quantity: bigint,
  price: number,
): boolean => {
  const value = filled.amountOf(quantity) * price
  let equity = cash - feeOf(value, settings) + (side === 'buy' ? -value : value)
  let exposure = 0
  for (const token of tokens.values()) {
    const change = token === filled ? (side === 'buy' ? quantity : -quantity) : 0n
    const worth = token.amountOf(token.position.quantity + change) * token.lastPrice
    equity += worth
    exposure += Math.abs(worth)
  }
  // A fill of all cash may exceed it by the rounding of doubles. Also true if a value is more than a double can be.
  return !(exposure <= equity * settings.maxLeverage + exposure * 1e-9)
}

const feeOf = (value: number, { feeBps }: Settings): number => (value * feeBps) / 10_000

/** Fills a part of an order. `wanted`: the quantity that it lacks. `price`: for one token, with slippage. */
export const fill = (
  state: AccountState,
  working: WorkingOrder,
  side: Side,
  quantity: bigint,
  wanted: bigint,
  price: number,
): void => {
  const { id, order, token, decidedAt } = working
  const amount = token.amountOf(quantity)
  const valueUsd = amount * price
  const atMidpoint = amount * token.lastPrice
  const slippageUsd = side === 'buy' ? valueUsd - atMidpoint : atMidpoint - valueUsd
  const feeUsd = feeOf(valueUsd, state.settings)
  const remaining = wanted - quantity
  working.remaining = remaining
  token.trade(side, quantity, price)
  state.updateHeld()
  state.cash += side === 'buy' ? -valueUsd : valueUsd
  state.cash -= feeUsd
  state.fees += feeUsd
  state.isFilled = true
  state.change({
    _tag: 'Filled',
    ...{ id, order, symbol: order.symbol, side, decidedAt, at: state.now },
    ...{ price, quantity, valueUsd, feeUsd, slippageUsd, remaining },
  })
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)
