import { oneOf, type Check } from '../../base/option-kinds/option.js'
import type { Equity, HeldPosition, OpenOrder } from './events.js'
import type { Settings } from './options.js'
import { TokenState } from './token-state.js'
import type { WorkingOrder } from './working-order.js'

export type Sampled = Pick<Equity, 'at' | 'isCurrent'>

/** What an account knows. The rules change it in place, because a copy for each price would cost more than the strategy. */
export class AccountState {
  /** Data time: the latest `receivedAt` so far, in ms since the Unix epoch; 0 before the first data. */
  now = 0
  /** Counts the changes of orders, cash and positions. */
  version = 0
  readonly tokens: ReadonlyMap<string, TokenState>
  /** Checks the symbol of an order. */
  readonly symbol: Check
  /** USD. */
  cash: number
  fees = 0
  /** The open orders, in the order of their decision. */
  orders: WorkingOrder[] = []
  /** True when the equity was 0 or less: all positions are closed, and no further order is taken. */
  isLiquidated = false
  /** The numbers that orders without an id have got. */
  numbered = 0
  /** Of the last `Equity`. */
  sampled: Sampled | undefined
  /** True if data came after `sampled`. */
  hasNews = false
  /** True if a fill came after `sampled`. */
  isFilled = false
  /** True before the first data that count. */
  isBeginning = false

  constructor(readonly settings: Settings) {
    this.tokens = new Map(settings.tokens.map((token) => [token.symbol, new TokenState(token)]))
    this.symbol = oneOf(...this.tokens.keys())
    this.cash = settings.cash
  }

  get openOrders(): readonly OpenOrder[] {
    return this.orders.map(({ id, order, remaining }) => ({ id, order, remaining: remaining ?? null }))
  }

  get equityUsd(): number {
    let equity = this.cash
    for (const state of this.tokens.values()) equity += state.value
    return equity
  }

  get hasPosition(): boolean {
    for (const { quantity } of this.tokens.values()) if (quantity !== 0n) return true
    return false
  }

  /** False while the price of a token that is held is not current. */
  get isCurrent(): boolean {
    for (const { quantity, price } of this.tokens.values())
      if (quantity !== 0n && price === undefined) return false
    return true
  }

  get lastPrices(): Readonly<Record<string, number>> {
    const prices: Record<string, number> = {}
    for (const { token, last } of this.tokens.values())
      if (last !== undefined) prices[token.symbol] = last.price
    return prices
  }

  get positions(): readonly HeldPosition[] {
    return [...this.tokens.values()]
      .filter(({ quantity }) => quantity !== 0n)
      .map(({ token: { symbol }, quantity, averagePrice, unrealisedUsd }) => {
        return { symbol, quantity, averagePrice, unrealisedUsd }
      })
  }
}
