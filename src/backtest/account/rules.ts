import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import type { Depth } from '../../base/domain/depth.js'
import type { Price } from '../../base/domain/price.js'
import type { DepthError, PriceError } from '../../base/errors/model.js'
import { describeValue } from '../../base/errors/text.js'
import type { PaperEvent } from './events.js'
import { orderProblem } from './order-check.js'
import { closePosition, type CancelOrder, type Order, type TradeOrder } from './orders.js'
import type { AccountState } from './state.js'
import type { TokenState } from './token-state.js'
import {
  fillOf,
  followPrice,
  outcomeOf,
  workingOrder,
  type Fill,
  type WorkingOrder,
} from './working-order.js'

/** What an account receives. */
export type AccountInput =
  | {
      readonly _tag: 'Price'
      readonly token: TokenState
      readonly event: Either<PriceError, Price>
      /** Of `TokenState`. */
      readonly isLate: boolean
    }
  | { readonly _tag: 'Depth'; readonly token: TokenState; readonly event: Either<DepthError, Depth> }
  /** `decidedAt`: in ms since the Unix epoch. */
  | { readonly _tag: 'Order'; readonly order: Order; readonly decidedAt: number }
  /** The account continues from a journal: no price is current. */
  | { readonly _tag: 'Continue' }
  /** The data that count begin: the next ones have an `Equity`. */
  | { readonly _tag: 'Begin' }
  /** The end of the data. Orders stay open. `endsFlat`: positions are closed at the last prices, current or not. */
  | { readonly _tag: 'End'; readonly endsFlat: boolean }

/**
 * The rules of an account: the events that follow from a state and an input. They depend on both alone, and on no clock, so that a
 * live run, its replay and a sweep have the same events.
 */
export const eventsAfter = (state: AccountState, input: AccountInput): PaperEvent[] => {
  const step: Step = { state, events: [] }
  if (input._tag === 'Price') onPrice(step, input.token, input.event, input.isLate)
  else if (input._tag === 'Depth') onDepth(step, input.token, input.event)
  else if (input._tag === 'Order') onOrder(step, input.order, input.decidedAt)
  else if (input._tag === 'End') onEnd(step, input.endsFlat)
  else if (input._tag === 'Begin') state.isBeginning = true
  else if (state.sampled?.isCurrent === true && !state.isCurrent) addEquity(step)
  return step.events
}

/** The state, and the events so far of an input. */
interface Step {
  readonly state: AccountState
  readonly events: PaperEvent[]
}

const onPrice = (step: Step, token: TokenState, event: Either<PriceError, Price>, isLate: boolean): void => {
  const { state } = step
  const wasCurrent = token.price !== undefined
  token.onPrice(event, isLate)
  if (!isLeft(event)) advance(step, event.right.receivedAt)
  if (state.orders.length > 0) {
    if (!isLeft(event)) follow(state, token, event.right)
    settle(step, token)
  }
  if (!isLeft(event)) checkEquity(step)
  sample(step, wasCurrent !== (token.price !== undefined))
}

const onDepth = (step: Step, token: TokenState, event: Either<DepthError, Depth>): void => {
  token.onDepth(event)
  if (!isLeft(event)) advance(step, event.right.receivedAt)
  if (step.state.orders.length > 0) settle(step, token)
  checkEquity(step)
  sample(step, false)
}

const onOrder = (step: Step, order: Order, decidedAt: number): void => {
  const { state } = step
  const problem = state.isLiquidated ? 'the account is liquidated' : reasonAgainst(order, state)
  if (problem !== undefined) reject(step, idOf(order, state), order, decidedAt, problem)
  else if (order._tag === 'Cancel') cancel(step, order, decidedAt)
  else open(step, order, decidedAt)
  checkEquity(step)
  sample(step, false)
}

const onEnd = (step: Step, endsFlat: boolean): void => {
  const { state, events } = step
  if (endsFlat) closePositions(step)
  if (state.hasNews || state.isFilled) addEquity(step)
  const { now: at, cash: cashUsd, equityUsd, fees: feesUsd, positions } = state
  events.push({ _tag: 'Account', at, cashUsd, equityUsd, feesUsd, positions })
}

const closePositions = (step: Step): void => {
  const { state } = step
  for (const token of state.tokens.values()) {
    const { quantity } = token
    if (quantity === 0n) continue
    const order = closePosition(token.token.symbol)
    const working = workingOrder(idOf(order, state), order, token, state.now)
    const units = quantity > 0n ? quantity : -quantity
    fill(step, working, fillOf(working, quantity > 0n ? 'sell' : 'buy', units, units, state.settings))
  }
}

const advance = (step: Step, receivedAt: number): void => {
  const { state } = step
  state.hasNews = true
  if (receivedAt > state.now) state.now = receivedAt
  if (!state.isBeginning) return
  state.isBeginning = false
  // Before the first fill, whose costs are a part of the result.
  addEquity(step)
}

const reasonAgainst = (order: unknown, { symbol }: AccountState): string | undefined => {
  const problem = orderProblem(order, symbol)
  if (problem === undefined) return undefined
  const { name, expected, actual } = problem
  return `${name === '' ? '' : `${name}: `}expected ${expected}, got ${describeValue(actual)}`
}

const open = (step: Step, order: TradeOrder, decidedAt: number): void => {
  const { state } = step
  const used = new Set(state.orders.map(({ id }) => id))
  const id = idOf(order, state, used)
  if (used.has(id)) return reject(step, id, order, decidedAt, `id: ${id} is the id of an open order`)
  const token = state.tokens.get(order.symbol)
  if (token === undefined) return
  const working = workingOrder(id, order, token, decidedAt)
  if (token.price !== undefined) followPrice(working, token.price, state.settings)
  state.version++
  if (isOpenAfter(step, working)) state.orders.push(working)
}

/** The id of an order; the next number that no open order has as its id. */
const idOf = (order: unknown, state: AccountState, used: ReadonlySet<string> = new Set()): string => {
  const given = typeof order === 'object' && order !== null && 'id' in order ? order.id : undefined
  if (typeof given === 'string' && given !== '') return given
  state.version++
  do state.numbered++
  while (used.has(String(state.numbered)))
  return String(state.numbered)
}

const cancel = (step: Step, order: CancelOrder, decidedAt: number): void => {
  const { state } = step
  const { id } = order
  const working = state.orders.find((each) => each.id === id)
  if (working === undefined) return reject(step, id, order, decidedAt, `no order with the id ${id} is open`)
  state.orders = state.orders.filter((each) => each !== working)
  end(step, working)
}

const follow = (state: AccountState, token: TokenState, price: Price): void => {
  for (const each of state.orders)
    if (each.state === token && followPrice(each, price, state.settings)) state.version++
}

/** Fills or rejects the orders of a token, in the order of their decision. */
const settle = (step: Step, token: TokenState): void => {
  const { state } = step
  const kept = state.orders.filter((each) => each.state !== token || isOpenAfter(step, each))
  if (kept.length < state.orders.length) state.orders = kept
}

/** Fills or rejects an order as far as possible now. True if it is open afterwards. */
const isOpenAfter = (step: Step, working: WorkingOrder): boolean => {
  const { state } = step
  const { id, order, state: token, decidedAt } = working
  const outcome = outcomeOf(working, state.settings, (of) => exceedsLeverage(state, token, of))
  if (order._tag === 'Limit' && !working.isResting && isDue(working, state)) {
    working.isResting = true
    state.version++
  }
  if (outcome._tag === 'Waits') return true
  state.version++
  if (outcome._tag === 'Rejected') reject(step, id, order, decidedAt, outcome.reason)
  if (outcome._tag !== 'Fills') return false
  fill(step, working, outcome.fill)
  if (working.remaining === 0n) return false
  if (working.rest === 'work') return true
  end(step, working)
  return false
}

const isDue = ({ state: { price, isLate }, decidedAt }: WorkingOrder, { settings }: AccountState): boolean =>
  price !== undefined && !isLate && price.receivedAt >= decidedAt + settings.latency

/** True if the values of the positions after a fill exceed the equity after it, times `maxLeverage`. */
const exceedsLeverage = (
  { cash, tokens, settings }: AccountState,
  filled: TokenState,
  { side, quantity, value, fee }: Fill,
): boolean => {
  let equity = cash - fee + (side === 'buy' ? -value : value)
  let exposure = 0
  for (const token of tokens.values()) {
    const change = token === filled ? (side === 'buy' ? quantity : -quantity) : 0n
    const worth = token.amountOf(token.quantity + change) * token.lastPrice
    equity += worth
    exposure += Math.abs(worth)
  }
  // A fill of all cash may exceed it by the rounding of doubles.
  return exposure > equity * settings.maxLeverage + exposure * 1e-9
}

const fill = ({ state, events }: Step, working: WorkingOrder, filled: Fill): void => {
  const { id, order, state: token, decidedAt } = working
  const { side, price, quantity, remaining, value, fee, slippage } = filled
  working.remaining = remaining
  token.take(side, quantity)
  token.trade(side, quantity, price)
  state.cash += side === 'buy' ? -value : value
  state.cash -= fee
  state.fees += fee
  events.push({
    _tag: 'Filled',
    ...{ id, order, symbol: order.symbol, side, decidedAt, at: state.now },
    ...{ price, quantity, valueUsd: value, feeUsd: fee, slippageUsd: slippage, remaining },
  })
  state.isFilled = true
}

const reject = (
  { state, events }: Step,
  id: string,
  order: Order,
  decidedAt: number,
  reason: string,
): void => {
  state.version++
  events.push({ _tag: 'Rejected', id, order, decidedAt, at: state.now, reason })
}

const end = ({ state, events }: Step, { id, order, remaining }: WorkingOrder): void => {
  state.version++
  events.push({ _tag: 'Cancelled', id, order, at: state.now, remaining: remaining ?? null })
}

/** Closes all positions with the next prices if the equity is 0 or less, and takes no further order. */
const checkEquity = (step: Step): void => {
  const { state, events } = step
  if (state.isLiquidated || !(state.isFilled || state.hasPosition)) return
  const { equityUsd, now } = state
  if (equityUsd > 0) return
  state.isLiquidated = true
  state.version++
  events.push({ _tag: 'Liquidated', at: now, equityUsd })
  const cancelled = state.orders
  state.orders = []
  for (const each of cancelled) end(step, each)
  for (const token of state.tokens.values())
    if (token.quantity !== 0n) {
      const order = closePosition(token.token.symbol)
      state.orders.push({
        ...workingOrder(idOf(order, state), order, token, now),
        ...{ rest: 'work', isForced: true, causedBy: token.price },
      })
    }
}

/** `isPriceChanged`: a price has become current, or has ceased to be. */
const sample = (step: Step, isPriceChanged: boolean): void => {
  const { state } = step
  const { sampled } = state
  const isSampleDue =
    sampled === undefined
      ? state.hasNews
      : state.isFilled ||
        state.now >= sampled.at + state.settings.sampleMs ||
        (isPriceChanged && state.isCurrent !== sampled.isCurrent)
  if (isSampleDue) addEquity(step)
}

const addEquity = ({ state, events }: Step): void => {
  const { now: at, equityUsd, isCurrent, lastPrices: prices } = state
  state.sampled = { at, isCurrent }
  state.hasNews = false
  state.isFilled = false
  events.push({ _tag: 'Equity', at, equityUsd, isCurrent, prices })
}
