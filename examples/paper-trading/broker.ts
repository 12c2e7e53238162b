import { isLeft } from 'fp-ts/lib/Either.js'
import { accountOf, equityOf, isValuationCurrent, type Account, type Equity } from './account.js'
import { fillOf } from './fill.js'
import { unknownQuote, updateQuote, type MarketEvent, type Quote } from './market.js'
import type { Filled, Order, Rejected } from './order.js'
import { applyTrade, emptyPortfolio, type Portfolio } from './portfolio.js'
import type { Settings } from './settings.js'

// The rules as a pure function of events. Time is data time: a live run and a replay of the same events cannot differ,
// because no clock and no timer takes part. An order that is decided at data time t fills with the first price of its token
// that was received at t + latency or later, and the depth that is current then.

export type BrokerEvent =
  MarketEvent | { readonly _tag: 'Order'; readonly order: Order } | { readonly _tag: 'End' }

/** An event of the account. `Account` is the last one, at the end of the data. */
export type PaperEvent = Filled | Rejected | Equity | Account

interface Pending {
  readonly id: number
  readonly order: Order
  readonly decidedAt: number
}

export interface BrokerState {
  /** Data time: the latest `receivedAt` of all events; 0 before the first. */
  readonly now: number
  readonly quotes: ReadonlyMap<string, Quote>
  readonly pending: readonly Pending[]
  readonly orders: number
  readonly portfolio: Portfolio
  /** The last point of the equity curve. */
  readonly sampled: Equity | undefined
  /** The events that follow from the last input. */
  readonly emitted: readonly PaperEvent[]
}

export const initialState = ({ tokens, cash }: Settings): BrokerState => ({
  now: 0,
  quotes: new Map([...tokens.keys()].map((symbol) => [symbol, unknownQuote])),
  pending: [],
  orders: 0,
  portfolio: emptyPortfolio(cash),
  sampled: undefined,
  emitted: [],
})

export const advance =
  (settings: Settings) =>
  (before: BrokerState, event: BrokerEvent): BrokerState => {
    const state = before.emitted.length === 0 ? before : { ...before, emitted: [] }
    switch (event._tag) {
      case 'Order':
        return onOrder(state, event.order, settings)
      case 'End':
        return onEnd(state, settings)
      case 'Price':
      case 'Depth':
        return onMarket(state, event, settings)
    }
  }

const onMarket = (before: BrokerState, market: MarketEvent, settings: Settings): BrokerState => {
  const { symbol } = market
  const quote = updateQuote(before.quotes.get(symbol) ?? unknownQuote, market)
  const quotes = new Map(before.quotes).set(symbol, quote)
  const received = receivedAt(market)
  const state = { ...before, quotes, now: Math.max(before.now, received ?? before.now) }
  // A new depth fills nothing: a fill needs a price from after the decision.
  if (market._tag === 'Depth' && received !== undefined) return state
  const due = state.pending.filter((each) => each.order.symbol === symbol && isDue(each, quote, settings))
  if (due.length === 0) return sample(state, settings)
  const pending = state.pending.filter((each) => !due.includes(each))
  const settled = due.reduce<BrokerState>((each, order) => settle(each, order, settings), {
    ...state,
    pending,
  })
  return sample(settled, settings)
}

const receivedAt = (market: MarketEvent): number | undefined =>
  market.event._tag === 'Right' ? market.event.right.receivedAt : undefined

/** An order is due with the first price after its latency, and at once, as a rejection, if price or depth is lost. */
const isDue = ({ decidedAt }: Pending, { price, depth }: Quote, { latency }: Settings): boolean =>
  isLeft(price) || isLeft(depth) || price.right.receivedAt >= decidedAt + latency

const onOrder = (before: BrokerState, order: Order, settings: Settings): BrokerState => {
  const pending = { id: before.orders + 1, order, decidedAt: before.now }
  const state = { ...before, orders: pending.id }
  const quote = state.quotes.get(order.symbol) ?? unknownQuote
  if (!isDue(pending, quote, settings)) return { ...state, pending: [...state.pending, pending] }
  return sample(settle(state, pending, settings), settings)
}

const onEnd = (state: BrokerState, settings: Settings): BrokerState => {
  const rejected = state.pending.reduce<BrokerState>(
    (each, pending) => reject(each, pending, 'the data ended before the fill'),
    { ...state, pending: [] },
  )
  const account = accountOf(rejected, settings)
  return { ...rejected, emitted: [...rejected.emitted, account.equity, account] }
}

const settle = (state: BrokerState, pending: Pending, settings: Settings): BrokerState => {
  const { symbol, side } = pending.order
  const token = settings.tokens.get(symbol)
  const quote = state.quotes.get(symbol)
  if (token === undefined || quote === undefined)
    return reject(state, pending, `${symbol} is not a token of the account`)
  const fill = fillOf(pending.order, token, quote, state.portfolio, settings)
  if (isLeft(fill)) return reject(state, pending, fill.left)
  const { trade, ordered } = fill.right
  const taken = { ...quote.taken, [side]: quote.taken[side] + trade.quantity }
  return {
    ...state,
    quotes: new Map(state.quotes).set(symbol, { ...quote, taken }),
    portfolio: applyTrade(state.portfolio, trade, token.decimals),
    emitted: [...state.emitted, { _tag: 'Filled', ...pending, at: state.now, trade, ordered }],
  }
}

const reject = (state: BrokerState, pending: Pending, reason: string): BrokerState => ({
  ...state,
  emitted: [...state.emitted, { _tag: 'Rejected', ...pending, at: state.now, reason }],
})

/** Adds a point to the equity curve after a fill, when its prices become current or cease to be, and at each interval. */
const sample = (state: BrokerState, settings: Settings): BrokerState => {
  const { sampled, now, emitted } = state
  const isDue =
    sampled === undefined ||
    now >= sampled.at + settings.sampleEvery ||
    sampled.isCurrent !== isValuationCurrent(state) ||
    emitted.some(({ _tag }) => _tag === 'Filled')
  if (!isDue) return state
  const equity = equityOf(state, settings)
  return { ...state, sampled: equity, emitted: [...emitted, equity] }
}
