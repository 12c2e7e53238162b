import type { AccountState, Sampled } from '../account-state.js'
import { decimalText, parseDecimal } from '../exact.js'
import type { Settings } from '../options.js'
import type { Side } from '../orders.js'
import type { OrderGroup, WorkingOrder } from '../working-order.js'

/** The state of an account, which becomes JSON. */
export interface SavedState {
  readonly _tag: 'State'
  readonly at: number
  /** USD, exact. */
  readonly cash: string
  readonly fees: string
  /** The number of orders that have got a number as their id. */
  readonly numbered: number
  /** The last price of each token that has one, by symbol. */
  readonly prices: Readonly<Record<string, number>>
  /** Of the last `Equity`. */
  readonly sampled: Sampled | undefined
  readonly holdings: readonly SavedHolding[]
  readonly groups: readonly SavedGroup[]
}

interface SavedHolding {
  readonly symbol: string
  readonly quantity: bigint
  /** USD, exact. */
  readonly cost: string
  /** What orders have taken of the last depths, by `timestamp`. */
  readonly taken: readonly (readonly [timestamp: number, Readonly<Record<Side, bigint>>])[]
}

interface SavedGroup extends Omit<OrderGroup, 'orders'> {
  readonly orders: readonly Omit<WorkingOrder, 'state'>[]
}

export const isSavedState = (value: { readonly _tag: unknown }): value is SavedState => value._tag === 'State'

export const savedStateOf = (state: AccountState, { digits }: Settings): SavedState => ({
  _tag: 'State',
  at: state.now,
  cash: decimalText(state.cash, digits),
  fees: decimalText(state.fees, digits),
  numbered: state.numbered,
  prices: state.lastPrices,
  sampled: state.sampled && { at: state.sampled.at, isCurrent: state.sampled.isCurrent },
  holdings: [...state.tokens.values()]
    .filter(({ quantity, taken }) => quantity !== 0n || taken.size > 0)
    .map(({ token: { symbol }, quantity, cost, taken }) => ({
      ...{ symbol, quantity, cost: decimalText(cost, digits), taken: [...taken] },
    })),
  groups: state.groups.map(({ orders, ...group }) => ({
    ...group,
    orders: orders.map(({ id, order, remaining, best, isTriggered }) => ({
      ...{ id, order, remaining, best, isTriggered },
    })),
  })),
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
export const continueFrom = (
  state: AccountState,
  { saved, prices, sampled, at }: JournalStart,
  settings: Settings,
): void => {
  state.now = at
  state.sampled = sampled
  for (const [symbol, token] of state.tokens) {
    const price = prices[symbol]
    if (price !== undefined) token.last = { price }
  }
  if (saved !== undefined) restoreState(state, saved, settings)
  state.onStart()
}

const restoreState = (state: AccountState, saved: SavedState, { digits }: Settings): void => {
  const tokenOf = (symbol: string) => {
    const token = state.tokens.get(symbol)
    if (token === undefined) throw new Error(`the journal has ${symbol}, which is not a token of the account`)
    return token
  }
  state.cash = parseDecimal(saved.cash, digits)
  state.fees = parseDecimal(saved.fees, digits)
  state.numbered = saved.numbered
  for (const { symbol, quantity, cost, taken } of saved.holdings) {
    const token = tokenOf(symbol)
    token.quantity = quantity
    token.cost = parseDecimal(cost, digits)
    for (const [timestamp, amounts] of taken) token.taken.set(timestamp, { ...amounts })
  }
  state.groups = saved.groups.map(({ orders, ...group }) => ({
    ...group,
    orders: orders.map((each) => ({ ...each, state: tokenOf(each.order.symbol) })),
  }))
}
