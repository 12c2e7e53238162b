import type { Price } from '../../base/domain/price.js'
import { oneOf, type Check } from '../../base/option-kinds/option.js'
import type { Equity, HeldPosition, OpenOrder, PaperEvent } from './events.js'
import type { Settings } from './options.js'
import type { Order, TradeOrder } from './orders.js'
import { TokenState } from './token-state.js'

/** An order that a strategy has decided, valid or not. */
export interface Decision {
  readonly id: string
  readonly order: Order
  /** In ms since the Unix epoch. */
  readonly decidedAt: number
}

/** That of a valid order. */
export interface TradeDecision extends Decision {
  readonly order: TradeOrder
}

/** An open order. Changed in place. */
export interface WorkingOrder extends TradeDecision {
  readonly token: TokenState
  /** The price at the decision, if that was of a later depth: it does not fill the order. */
  readonly passed: Price | undefined
  /** In base-token units; undefined for a size that the first fill decides. */
  remaining: bigint | undefined
  /** The best price since the decision, of a trailing stop. */
  best: number | undefined
  /** When a price triggered a stop; undefined before. */
  triggeredAt: number | undefined
  /** True for a limit whose first price after the latency has passed: it fills at its own price. */
  isResting: boolean
}

/** The state of an account. The rules change it in place, because a copy for each price would cost more than the strategy. */
export class AccountState {
  /** Data time: the latest `receivedAt` so far, in ms since the Unix epoch; 0 before the first data. */
  now = 0
  /** The events that the rules have added, and that are not emitted yet. */
  events: PaperEvent[] = []
  /** True if orders, cash or positions have changed since `events` was emptied. */
  isChanged = false
  readonly tokens: ReadonlyMap<string, TokenState>
  /** The tokens with a position. */
  held: readonly TokenState[] = []
  readonly symbol: Check
  /** USD. */
  cash: number
  fees = 0
  /** The open orders, in the order of their decision. */
  orders: WorkingOrder[] = []
  /** True when the equity was 0 or less: the only open orders close positions, and no further order is taken. */
  isLiquidated = false
  /** The numbers that orders without an id have got. */
  numbered = 0
  /** Of the last `Equity`. */
  sampled: Pick<Equity, 'at' | 'isCurrent'> | undefined
  /** True if data came after `sampled`. */
  hasNews = false
  /** True if a fill came after `sampled`. */
  isFilled = false
  /** True before the first data that count. */
  isBeginning = false
  /** That of the terms of a replay. */
  liveDecision: ((id: string, at: number) => number) | undefined

  constructor(readonly settings: Settings) {
    this.tokens = new Map(settings.tokens.map((token) => [token.symbol, new TokenState(token)]))
    this.symbol = oneOf(...this.tokens.keys())
    this.cash = settings.cash
  }

  /** Ends the warm-up, in which nothing was bought: its prices are not those of the run, and fill nothing. */
  begin(): void {
    this.isBeginning = true
    for (const token of this.tokens.values()) {
      token.lastPrice = 0
      token.fillsNothing = true
    }
  }

  /** Adds an event that changes the account. */
  change(event: PaperEvent): void {
    this.events.push(event)
    this.isChanged = true
  }

  reject({ id, order, decidedAt }: Decision, reason: string): void {
    this.change({ _tag: 'Rejected', id, order, decidedAt, at: this.now, reason })
  }

  cancel({ id, order, remaining }: WorkingOrder): void {
    this.change({ _tag: 'Cancelled', id, order, at: this.now, remaining: remaining ?? null })
  }

  addEquity(): void {
    const { now: at, equityUsd, isCurrent, lastPrices: prices } = this
    this.sampled = { at, isCurrent }
    this.hasNews = false
    this.isFilled = false
    this.events.push({ _tag: 'Equity', at, equityUsd, isCurrent, prices })
  }

  /** To be called after each change of a position. */
  updateHeld(): void {
    this.held = [...this.tokens.values()].filter(({ position }) => position.quantity !== 0n)
  }

  get openOrders(): readonly OpenOrder[] {
    return this.orders.map(({ id, order, remaining }) => ({ id, order, remaining: remaining ?? null }))
  }

  get equityUsd(): number {
    let equity = this.cash
    for (const { value } of this.held) equity += value
    return equity
  }

  get isCurrent(): boolean {
    return this.held.every(({ price }) => price !== undefined)
  }

  get lastPrices(): Readonly<Record<string, number>> {
    const prices: Record<string, number> = {}
    for (const [symbol, { lastPrice }] of this.tokens) if (lastPrice > 0) prices[symbol] = lastPrice
    return prices
  }

  get positions(): readonly HeldPosition[] {
    return this.held.map(({ token: { symbol }, position: { quantity, averagePrice }, unrealisedUsd }) => ({
      ...{ symbol, quantity, averagePrice: averagePrice ?? 0, unrealisedUsd },
    }))
  }
}
