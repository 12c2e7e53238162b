import type { AccountState, Sampled } from '../state.js'
import type { Side } from '../orders.js'
import type { WorkingOrder } from '../working-order.js'

/** The version of the journal. It is in the first line of each run and in each state. */
export const journalVersion = 1

/** The state of an account, which becomes JSON. */
export interface SavedState {
  readonly _tag: 'State'
  readonly at: number
  /** USD. */
  readonly cash: number
  readonly fees: number
  readonly isLiquidated: boolean
  /** The number of orders that have got a number as their id. */
  readonly numbered: number
  /** The last price of each token that has one, by symbol. */
  readonly prices: Readonly<Record<string, number>>
  /** Of the last `Equity`. */
  readonly sampled: Sampled | undefined
  readonly holdings: readonly SavedHolding[]
  readonly orders: readonly SavedOrder[]
}

interface SavedHolding {
  readonly symbol: string
  readonly quantity: bigint
  readonly averagePrice: number
  /** What orders have taken of the last depths, by `timestamp`. */
  readonly taken: readonly (readonly [timestamp: number, Readonly<Record<Side, bigint>>])[]
}

type SavedOrder = Omit<WorkingOrder, 'state' | 'causedBy'>

export const savedStateOf = (state: AccountState): SavedState & { readonly version: number } => ({
  _tag: 'State',
  version: journalVersion,
  at: state.now,
  cash: state.cash,
  fees: state.fees,
  isLiquidated: state.isLiquidated,
  numbered: state.numbered,
  prices: state.lastPrices,
  sampled: state.sampled,
  holdings: [...state.tokens.values()]
    .filter(({ quantity, taken }) => quantity !== 0n || taken.size > 0)
    .map(({ token: { symbol }, quantity, averagePrice, taken }) => ({
      ...{ symbol, quantity, averagePrice, taken: [...taken] },
    })),
  orders: state.orders.map(({ id, order, decidedAt, rest, ...each }) => {
    const { remaining, best, triggeredAt, isResting, isForced } = each
    return { id, order, decidedAt, rest, remaining, best, triggeredAt, isResting, isForced }
  }),
})

/** Where an account continues. */
export interface JournalStart {
  readonly saved: SavedState | undefined
  /** The last price of each token that the journal has, by symbol. */
  readonly prices: Readonly<Record<string, number>>
  readonly sampled: Sampled | undefined
  /** Data time of the last line, in ms. */
  readonly at: number
}

/** Continues an account. Throws if the journal has a position in a token that is not one of the account. */
export const continueFrom = (state: AccountState, { saved, prices, sampled, at }: JournalStart): void => {
  state.now = at
  state.sampled = sampled
  for (const [symbol, token] of state.tokens) {
    const price = prices[symbol]
    if (price !== undefined) token.last = { price }
  }
  if (saved !== undefined) restoreState(state, saved)
}

const restoreState = (state: AccountState, saved: SavedState): void => {
  const tokenOf = (symbol: string) => {
    const token = state.tokens.get(symbol)
    if (token === undefined) throw new Error(`the journal has ${symbol}, which is not a token of the account`)
    return token
  }
  state.cash = saved.cash
  state.fees = saved.fees
  state.isLiquidated = saved.isLiquidated
  state.numbered = saved.numbered
  for (const { symbol, quantity, averagePrice, taken } of saved.holdings) {
    const token = tokenOf(symbol)
    token.quantity = quantity
    token.averagePrice = averagePrice
    for (const [timestamp, amounts] of taken) token.taken.set(timestamp, { ...amounts })
  }
  state.orders = saved.orders.map((each) => ({ ...each, state: tokenOf(each.order.symbol) }))
}
