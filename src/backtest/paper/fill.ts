import { smaller, whole } from './exact.js'
import type { Settings } from './options.js'
import type { Side } from './orders.js'
import type { TokenState } from './token-state.js'
import {
  isAllowedBy,
  isImmediate,
  wantedOf,
  type OrderGroup,
  type Wanted,
  type WorkingOrder,
} from './working-order.js'

/** What a group of orders fills now. Amounts in USD are in units of the account's `digits`. */
export type Outcome =
  | { readonly _tag: 'Waits' }
  | { readonly _tag: 'Rejected'; readonly reason: string }
  | { readonly _tag: 'Fills'; readonly fills: readonly Fill[] }

export interface Fill {
  readonly working: WorkingOrder
  readonly side: Side
  /** In units of a price with slippage. */
  readonly price: bigint
  readonly quantity: bigint
  readonly remaining: bigint
  readonly value: bigint
  readonly fee: bigint
  readonly slippage: bigint
}

interface Request extends Wanted {
  readonly working: WorkingOrder
}

const waits: Outcome = { _tag: 'Waits' }
const rejected = (reason: string): Outcome => ({ _tag: 'Rejected', reason })

/** Changes nothing. */
export const outcomeOf = (group: OrderGroup, cash: bigint, settings: Settings): Outcome => {
  let isReady = true
  for (const working of group.orders) {
    const { price, priceProblem } = working.state
    if (price === undefined) {
      if (priceProblem !== undefined && isImmediate(working, group)) return rejected(priceProblem)
    } else if (
      price.receivedAt >= group.decidedAt + settings.latency &&
      isAllowedBy(working, price, settings)
    ) {
      continue
    }
    isReady = false
  }
  if (!isReady) return waits
  for (const working of group.orders) {
    const { state } = working
    const problem = state.price && state.depthProblem(state.price, settings)
    if (problem !== undefined) return isImmediate(working, group) ? rejected(problem) : waits
  }
  const requests = group.orders.map((working) => ({ working, ...wantedOf(working, settings) }))
  return fillsOf(group, requests, cash, settings)
}

const fillsOf = (
  group: OrderGroup,
  requests: readonly Request[],
  cash: bigint,
  settings: Settings,
): Outcome => {
  const proportion = { of: 1n, in: 1n }
  const wanted = requests.filter(({ working, quantity }) => 'side' in working.order || quantity > 0n)
  for (const { working, side, quantity } of wanted) {
    const { state } = working
    if (quantity === 0n) return rejected('the size is less than one base-token unit')
    const total = wanted
      .filter((each) => each.working.state === state && each.side === side)
      .reduce((sum, each) => sum + each.quantity, 0n)
    const isLimited = side === 'sell' && !settings.allowShort
    if (isLimited && state.quantity <= 0n)
      return rejected(`there is no position of ${state.token.symbol} to sell`)
    const available = state.availableOf(side, settings)
    const most = isLimited ? smaller(available, state.quantity) : available
    if (most < total && most * proportion.in < proportion.of * total) {
      proportion.of = most
      proportion.in = total
    }
  }
  const fills = wanted.map((request) => fillOf(request, proportion, settings))
  const unfilled = fills.find(({ quantity }) => quantity <= 0n)
  if (unfilled !== undefined) {
    const isWaiting = !group.orders.some((each) => isImmediate(each, group))
    return isWaiting ? waits : rejected(`the depth has no quantity to ${unfilled.side}`)
  }
  const toPay = fills.reduce((sum, { side, value, fee }) => sum + fee + (side === 'buy' ? value : -value), 0n)
  if (toPay > cash) return rejected(`costs more than the cash`)
  return { _tag: 'Fills', fills }
}

const fillOf = (
  { working, side, quantity: wanted }: Request,
  proportion: { readonly of: bigint; readonly in: bigint },
  settings: Settings,
): Fill => {
  const { state }: { readonly state: TokenState } = working
  const price = state.priceFor(side, settings)
  const quantity = (wanted * proportion.of) / proportion.in
  const value = state.valueAt(quantity, price)
  const fee = (value * settings.feeShare) / whole
  const atMidpoint = state.valueAt(quantity, state.midpoint)
  const slippage = side === 'buy' ? value - atMidpoint : atMidpoint - value
  return { working, side, price, quantity, remaining: wanted - quantity, value, fee, slippage }
}
