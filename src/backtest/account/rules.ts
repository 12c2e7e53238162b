import { isRight, type Either } from 'fp-ts/lib/Either.js'
import type { Depth } from '../../base/domain/depth.js'
import type { Price } from '../../base/domain/price.js'
import type { DepthError, PriceError } from '../../base/errors/model.js'
import { fill, followPrice, tryToFill, workingOrder } from './fills.js'
import { orderProblem } from './order-check.js'
import { closePosition, type Order } from './orders.js'
import type { AccountState, Decision, TradeDecision, WorkingOrder } from './state.js'
import type { TokenState } from './token-state.js'

// The rules of an account: a function for each input, which changes the state and adds events to it. They depend on the state and
// the input alone, and on no clock, so that a live run, its replay and a sweep have the same events.

/** `isLate`: true if the price arrived later than its `receivedAt`, because the client held it. */
export const onPrice = (
  state: AccountState,
  token: TokenState,
  event: Either<PriceError, Price>,
  isLate: boolean,
): void => {
  const { lastPrice } = token
  token.onPrice(event, isLate)
  if (isRight(event)) {
    advance(state, event.right.receivedAt)
    for (const each of state.orders)
      if (each.token === token && followPrice(each, event.right, state.settings)) state.isChanged = true
  }
  settle(state, token)
  const isFirst = lastPrice === 0
  // A close and the next open have one time, and each is a value of the account.
  const isOfSampledTime = state.now === state.sampled?.at
  conclude(state, token.lastPrice !== lastPrice && (isFirst || isOfSampledTime))
}

export const onDepth = (state: AccountState, token: TokenState, event: Either<DepthError, Depth>): void => {
  token.onDepth(event)
  if (isRight(event)) advance(state, event.right.receivedAt)
  settle(state, token)
  conclude(state)
}

/** `isInformed`: false for an order of which it is not known whether it follows the last depth. */
export const onOrder = (state: AccountState, order: Order, at: number, isInformed: boolean): void => {
  const problem = state.isLiquidated ? 'the account is liquidated' : orderProblem(order, state.symbol)
  const id = idOf(order, state)
  const decidedAt = state.liveDecision?.(id, at) ?? at
  const decision = { id, order, decidedAt }
  if (problem !== undefined) state.reject(decision, problem)
  else if (order._tag === 'Cancel') cancel(state, decision)
  else if (isTaken(id, state)) state.reject(decision, `id: ${id} is the id of an open order`)
  else open(state, { ...decision, order }, isInformed && decidedAt === at)
  conclude(state)
}

/** The end of the data. Orders stay open. `endsFlat`: positions are closed at the last prices, current or not. */
export const onEnd = (state: AccountState, endsFlat: boolean): void => {
  if (endsFlat)
    for (const token of state.held) {
      const side = token.position.quantity > 0n ? 'sell' : 'buy'
      const units = token.reducibleBy(side)
      fill(state, closing(state, token), side, units, units, token.priceFor(side, state.settings))
    }
  if (state.hasNews || state.isFilled) state.addEquity()
  const { now: at, cash: cashUsd, equityUsd, fees: feesUsd, positions } = state
  state.events.push({ _tag: 'Account', at, cashUsd, equityUsd, feesUsd, positions })
}

const closing = (state: AccountState, token: TokenState): WorkingOrder => {
  const order = closePosition(token.token.symbol)
  return workingOrder({ id: idOf(order, state), order, decidedAt: state.now }, token)
}

const advance = (state: AccountState, receivedAt: number): void => {
  state.hasNews = true
  if (receivedAt > state.now) state.now = receivedAt
  if (!state.isBeginning) return
  state.isBeginning = false
  // Before the first fill, whose costs are a part of the result.
  state.addEquity()
}

/** The given id, or the next number that is not taken. */
const idOf = (order: unknown, state: AccountState): string => {
  const given = typeof order === 'object' && order !== null && 'id' in order ? order.id : undefined
  if (typeof given === 'string' && given !== '') return given
  state.isChanged = true
  do state.numbered++
  while (isTaken(String(state.numbered), state))
  return String(state.numbered)
}

const isTaken = (id: string, { orders }: AccountState): boolean => orders.some((each) => each.id === id)

const open = (state: AccountState, decision: TradeDecision, isInformed: boolean): void => {
  const token = state.tokens.get(decision.order.symbol)
  if (token === undefined) return
  const working = workingOrder(decision, token, isInformed && token.isBehind ? token.price : undefined)
  if (token.price !== undefined) followPrice(working, token.price, state.settings)
  state.isChanged = true
  if (tryToFill(state, working)) state.orders.push(working)
}

const cancel = (state: AccountState, decision: Decision): void => {
  const { id } = decision
  const working = state.orders.find((each) => each.id === id)
  if (working === undefined) return state.reject(decision, `no order with this id is open: ${id}`)
  state.orders = state.orders.filter((each) => each !== working)
  state.cancel(working)
}

/** The end of each input. */
const conclude = (state: AccountState, isDue = false): void => {
  checkEquity(state)
  sample(state, isDue)
}

/** Fills or rejects the orders of a token, in the order of their decision. */
const settle = (state: AccountState, token: TokenState): void => {
  if (state.orders.length === 0) return
  state.orders = state.orders.filter((each) => each.token !== token || tryToFill(state, each))
}

/** Closes all positions with the next prices if the equity is 0 or less, and takes no further order. */
const checkEquity = (state: AccountState): void => {
  if (state.isLiquidated || !(state.isFilled || state.held.length > 0)) return
  const { equityUsd, now } = state
  if (equityUsd > 0) return
  state.isLiquidated = true
  state.change({ _tag: 'Liquidated', at: now, equityUsd })
  for (const each of state.orders) state.cancel(each)
  state.orders = []
  state.orders = state.held.map((token) => {
    token.fillsNothing = true
    return closing(state, token)
  })
}

/** Adds an `Equity` if one is due, or with news if `isDue`; also at the start of an account that continues. */
export const sample = (state: AccountState, isDue = false): void => {
  const { sampled, hasNews, isFilled, now, settings, isCurrent } = state
  const isSampleDue =
    sampled === undefined
      ? hasNews
      : (isDue && hasNews) ||
        isFilled ||
        now >= sampled.at + settings.sampleMs ||
        isCurrent !== sampled.isCurrent
  if (isSampleDue) state.addEquity()
}
