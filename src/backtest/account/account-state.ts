import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import type { Depth } from '../../base/domain/depth.js'
import type { Price } from '../../base/domain/price.js'
import type { DepthError, PriceError } from '../../base/errors/model.js'
import { describeValue } from '../../base/errors/text.js'
import { oneOf, type Check } from '../../base/option-kinds/option.js'
import type { Account, Equity, HeldPosition, OpenOrder, PaperEvent } from './events.js'
import type { Settings } from './options.js'
import { orderProblem } from './order-check.js'
import { closePosition, type CancelOrder, type Order, type TradeOrder } from './orders.js'
import { TokenState } from './token-state.js'
import {
  fillOf,
  followPrice,
  outcomeOf,
  workingOrder,
  type Fill,
  type WorkingOrder,
} from './working-order.js'

export type Sampled = Pick<Equity, 'at' | 'isCurrent'>

/**
 * The account: a function of prices, depths and orders alone, without a clock, so that a live run, its replay and a sweep
 * give the same events. Its state is changed in place, because a copy for each price would cost more than the strategy.
 * Each input leaves the events that follow from it in `events`.
 */
export class AccountState {
  /** Data time: the latest `receivedAt` so far, in ms since the Unix epoch; 0 before the first data. */
  now = 0
  /** The events of the last input. The caller removes them. */
  readonly events: PaperEvent[] = []
  /** Counts the changes of orders, cash and positions. */
  version = 0
  readonly tokens: ReadonlyMap<string, TokenState>
  /** USD. */
  cash: number
  fees = 0
  /** The open orders, in the order of their decision. */
  orders: WorkingOrder[] = []
  /** True when the equity was 0 or less: all positions are closed, and no further order is taken. */
  isLiquidated = false
  /** The numbers that orders without an id have got. */
  numbered = 0
  private readonly symbol: Check
  /** Of the last `Equity`. */
  sampled: Sampled | undefined
  /** True if data came after `sampled`. */
  private hasNews = false
  private isBeginning = false
  /** True if a fill came after `sampled`. */
  private isFilled = false

  constructor(private readonly settings: Settings) {
    this.tokens = new Map(settings.tokens.map((token) => [token.symbol, new TokenState(token)]))
    this.symbol = oneOf(...this.tokens.keys())
    this.cash = settings.cash
  }

  /** The account continues from a journal: no price is current. */
  onStart(): void {
    if (this.sampled?.isCurrent === true && !this.isCurrent) this.addEquity()
  }

  /** The data that count begin: the next ones have an `Equity`. */
  begin(): void {
    this.isBeginning = true
  }

  /** `isLate`: of `TokenState`. */
  onPrice(state: TokenState, event: Either<PriceError, Price>, isLate: boolean): void {
    const wasCurrent = state.price !== undefined
    state.onPrice(event, isLate)
    if (!isLeft(event)) this.advance(event.right.receivedAt)
    if (this.orders.length > 0) {
      if (!isLeft(event)) this.follow(state, event.right)
      this.settle(state)
    }
    if (!isLeft(event)) this.checkEquity()
    this.sample(wasCurrent !== (state.price !== undefined))
  }

  onDepth(state: TokenState, event: Either<DepthError, Depth>): void {
    state.onDepth(event)
    if (!isLeft(event)) this.advance(event.right.receivedAt)
    if (this.orders.length > 0) this.settle(state)
    this.checkEquity()
    this.sample(false)
  }

  /** `decidedAt`: in ms since the Unix epoch. */
  onOrder(order: Order, decidedAt: number): void {
    const problem = this.isLiquidated ? 'the account is liquidated' : this.reasonAgainst(order)
    if (problem !== undefined) this.reject(this.idOf(order), order, decidedAt, problem)
    else if (order._tag === 'Cancel') this.cancel(order, decidedAt)
    else this.open(order, decidedAt)
    this.checkEquity()
    this.sample(false)
  }

  /** The end of the data. Orders stay open. `endsFlat`: positions are closed at the last prices, current or not. */
  onEnd(endsFlat: boolean): void {
    if (endsFlat) this.closePositions()
    if (this.hasNews || this.isFilled) this.addEquity()
    const { cash, fees } = this
    const account: Account = {
      _tag: 'Account',
      at: this.now,
      cashUsd: cash,
      equityUsd: this.equityUsd,
      feesUsd: fees,
      positions: [...this.tokens.values()]
        .filter(({ quantity }) => quantity !== 0n)
        .map((each) => this.held(each)),
    }
    this.events.push(account)
  }

  get openOrders(): readonly OpenOrder[] {
    return this.orders.map(({ id, order, remaining }) => ({ id, order, remaining: remaining ?? null }))
  }

  private closePositions(): void {
    for (const state of this.tokens.values()) {
      const { token, quantity } = state
      if (quantity === 0n) continue
      const order = closePosition(token.symbol)
      const working = workingOrder(this.idOf(order), order, state, this.now)
      const units = quantity > 0n ? quantity : -quantity
      this.fill(working, fillOf(working, quantity > 0n ? 'sell' : 'buy', units, units, this.settings))
    }
  }

  private advance(receivedAt: number): void {
    this.hasNews = true
    if (receivedAt > this.now) this.now = receivedAt
    if (!this.isBeginning) return
    this.isBeginning = false
    // Before the first fill, whose costs are a part of the result.
    this.addEquity()
  }

  private reasonAgainst(order: unknown): string | undefined {
    const problem = orderProblem(order, this.symbol)
    if (problem === undefined) return undefined
    const { name, expected, actual } = problem
    return `${name === '' ? '' : `${name}: `}expected ${expected}, got ${describeValue(actual)}`
  }

  private open(order: TradeOrder, decidedAt: number): void {
    const used = new Set(this.orders.map(({ id }) => id))
    const id = this.idOf(order, used)
    if (used.has(id)) return this.reject(id, order, decidedAt, `id: ${id} is the id of an open order`)
    const state = this.tokens.get(order.symbol)
    if (state === undefined) return
    const working = workingOrder(id, order, state, decidedAt)
    if (state.price !== undefined) followPrice(working, state.price, this.settings)
    this.version++
    if (this.isOpenAfter(working)) this.orders.push(working)
  }

  /** The id of an order; the next number that no open order has as its id. */
  private idOf(order: unknown, used: ReadonlySet<string> = new Set()): string {
    const given = typeof order === 'object' && order !== null && 'id' in order ? order.id : undefined
    if (typeof given === 'string' && given !== '') return given
    this.version++
    do this.numbered++
    while (used.has(String(this.numbered)))
    return String(this.numbered)
  }

  private cancel(order: CancelOrder, decidedAt: number): void {
    const { id } = order
    const working = this.orders.find((each) => each.id === id)
    if (working === undefined) return this.reject(id, order, decidedAt, `no order with the id ${id} is open`)
    this.orders = this.orders.filter((each) => each !== working)
    this.end(working)
  }

  private follow(state: TokenState, price: Price): void {
    for (const each of this.orders)
      if (each.state === state && followPrice(each, price, this.settings)) this.version++
  }

  /** Fills or rejects the orders of a token, in the order of their decision. */
  private settle(state: TokenState): void {
    const open = this.orders.filter((each) => each.state !== state || this.isOpenAfter(each))
    if (open.length < this.orders.length) this.orders = open
  }

  /** Fills or rejects an order as far as possible now. True if it is open afterwards. */
  private isOpenAfter(working: WorkingOrder): boolean {
    const { id, order, state, decidedAt } = working
    const outcome = outcomeOf(working, this.settings, (fill) => this.exceedsLeverage(state, fill))
    if (order._tag === 'Limit' && !working.isResting && this.isDue(working)) {
      working.isResting = true
      this.version++
    }
    if (outcome._tag === 'Waits') return true
    this.version++
    if (outcome._tag === 'Rejected') this.reject(id, order, decidedAt, outcome.reason)
    if (outcome._tag !== 'Fills') return false
    this.fill(working, outcome.fill)
    if (working.remaining === 0n) return false
    if (working.rest === 'work') return true
    this.end(working)
    return false
  }

  private isDue({ state: { price, isLate }, decidedAt }: WorkingOrder): boolean {
    return price !== undefined && !isLate && price.receivedAt >= decidedAt + this.settings.latency
  }

  /** True if the values of the positions after a fill exceed the equity after it, times `maxLeverage`. */
  private exceedsLeverage(filled: TokenState, { side, quantity, value, fee }: Fill): boolean {
    let equity = this.cash - fee + (side === 'buy' ? -value : value)
    let exposure = 0
    for (const state of this.tokens.values()) {
      const change = state === filled ? (side === 'buy' ? quantity : -quantity) : 0n
      const worth = state.amountOf(state.quantity + change) * state.lastPrice
      equity += worth
      exposure += Math.abs(worth)
    }
    // A fill of all cash may exceed it by the rounding of doubles.
    return exposure > equity * this.settings.maxLeverage + exposure * 1e-9
  }

  private fill(working: WorkingOrder, fill: Fill): void {
    const { id, order, state, decidedAt } = working
    const { side, price, quantity, remaining, value, fee, slippage } = fill
    working.remaining = remaining
    state.take(side, quantity)
    state.trade(side, quantity, price)
    this.cash += side === 'buy' ? -value : value
    this.cash -= fee
    this.fees += fee
    this.events.push({
      _tag: 'Filled',
      ...{ id, order, symbol: order.symbol, side, decidedAt, at: this.now },
      ...{ price, quantity, valueUsd: value, feeUsd: fee, slippageUsd: slippage, remaining },
    })
    this.isFilled = true
  }

  private reject(id: string, order: Order, decidedAt: number, reason: string): void {
    this.version++
    this.events.push({ _tag: 'Rejected', id, order, decidedAt, at: this.now, reason })
  }

  private end({ id, order, remaining }: WorkingOrder): void {
    this.version++
    this.events.push({ _tag: 'Cancelled', id, order, at: this.now, remaining: remaining ?? null })
  }

  /** Closes all positions with the next prices if the equity is 0 or less, and takes no further order. */
  private checkEquity(): void {
    if (this.isLiquidated || !(this.isFilled || this.hasPosition)) return
    const { equityUsd, now } = this
    if (equityUsd > 0) return
    this.isLiquidated = true
    this.version++
    this.events.push({ _tag: 'Liquidated', at: now, equityUsd })
    const cancelled = this.orders
    this.orders = []
    for (const each of cancelled) this.end(each)
    for (const state of this.tokens.values())
      if (state.quantity !== 0n) {
        const order = closePosition(state.token.symbol)
        this.orders.push({
          ...workingOrder(this.idOf(order), order, state, now),
          ...{ rest: 'work', isForced: true, causedBy: state.price },
        })
      }
  }

  private get hasPosition(): boolean {
    for (const { quantity } of this.tokens.values()) if (quantity !== 0n) return true
    return false
  }

  /** `isPriceChanged`: a price has become current, or has ceased to be. */
  private sample(isPriceChanged: boolean): void {
    const { sampled } = this
    const isDue =
      sampled === undefined
        ? this.hasNews
        : this.isFilled ||
          this.now >= sampled.at + this.settings.sampleMs ||
          (isPriceChanged && this.isCurrent !== sampled.isCurrent)
    if (isDue) this.addEquity()
  }

  private get isCurrent(): boolean {
    for (const { quantity, price } of this.tokens.values())
      if (quantity !== 0n && price === undefined) return false
    return true
  }

  private addEquity(): void {
    const { now: at, equityUsd, isCurrent, lastPrices: prices } = this
    const equity: Equity = { _tag: 'Equity', at, equityUsd, isCurrent, prices }
    this.sampled = equity
    this.hasNews = false
    this.isFilled = false
    this.events.push(equity)
  }

  get lastPrices(): Readonly<Record<string, number>> {
    const prices: Record<string, number> = {}
    for (const { token, last } of this.tokens.values())
      if (last !== undefined) prices[token.symbol] = last.price
    return prices
  }

  private get equityUsd(): number {
    let equity = this.cash
    for (const state of this.tokens.values()) equity += state.value
    return equity
  }

  private held(state: TokenState): HeldPosition {
    const { token, quantity, averagePrice, lastPrice } = state
    const unrealisedUsd = state.amountOf(quantity) * (lastPrice - averagePrice)
    return { symbol: token.symbol, quantity, averagePrice, unrealisedUsd }
  }
}
