import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import type { Depth } from '../../base/domain/depth.js'
import type { Price } from '../../base/domain/price.js'
import type { DepthError, PriceError } from '../../base/errors/model.js'
import type { Account, Equity, HeldPosition, OpenOrder, PaperEvent } from './events.js'
import { toNumber } from './exact.js'
import { outcomeOf, type Fill } from './fill.js'
import type { Settings } from './options.js'
import { orderCheck } from './order-check.js'
import type { CancelOrder, Order, TradeOrder } from './orders.js'
import { pricedNumber, TokenState } from './token-state.js'
import { followPrice, restOf, workingOrder, type OrderGroup, type WorkingOrder } from './working-order.js'

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
  cash: bigint
  fees = 0n
  groups: OrderGroup[] = []
  /** The numbers that orders without an id have got. */
  numbered = 0
  private readonly problemOf: (order: unknown) => string | undefined
  /** Of the last `Equity`. */
  sampled: Sampled | undefined
  /** True if data came after `sampled`. */
  private hasNews = false
  /** True if a fill came after `sampled`. */
  private isFilled = false

  constructor(private readonly settings: Settings) {
    this.tokens = new Map(
      settings.tokens.map((token) => [token.symbol, new TokenState(token, settings.digits)]),
    )
    this.problemOf = orderCheck([...this.tokens.keys()])
    this.cash = settings.cash
  }

  /** The account continues from a journal: no price is current. */
  onStart(): void {
    if (this.sampled?.isCurrent === true && !this.isCurrent) this.addEquity()
  }

  onPrice(state: TokenState, event: Either<PriceError, Price>): void {
    const wasCurrent = state.price !== undefined
    state.onPrice(event)
    if (!isLeft(event)) this.advance(event.right.receivedAt)
    if (this.groups.length > 0) {
      if (!isLeft(event)) this.follow(state, event.right)
      this.settle(state)
    }
    this.sample(wasCurrent !== (state.price !== undefined))
  }

  onDepth(state: TokenState, event: Either<DepthError, Depth>): void {
    state.onDepth(event)
    if (!isLeft(event)) this.advance(event.right.receivedAt)
    if (this.groups.length > 0) this.settle(state)
    this.sample(false)
  }

  onOrder(order: Order): void {
    const problem = this.problemOf(order)
    if (problem !== undefined) this.reject(this.idOf(order), order, this.now, problem)
    else if (order._tag === 'Cancel') this.cancel(order)
    else this.open(order._tag === 'Together' ? order.orders : [order])
    this.sample(false)
  }

  /** The end of the data. Orders stay open. */
  onEnd(): void {
    if (this.hasNews) this.addEquity()
    const { cash, fees, settings } = this
    const account: Account = {
      _tag: 'Account',
      at: this.now,
      cashUsd: toNumber(cash, settings.digits),
      equityUsd: this.equityUsd,
      feesUsd: toNumber(fees, settings.digits),
      positions: [...this.tokens.values()]
        .filter(({ quantity }) => quantity !== 0n)
        .map((each) => this.held(each)),
    }
    this.events.push(account)
  }

  get openOrders(): readonly OpenOrder[] {
    return this.groups.flatMap(({ orders }) =>
      orders.map(({ id, order, remaining }) => ({ id, order, remaining: remaining ?? null })),
    )
  }

  private advance(receivedAt: number): void {
    this.hasNews = true
    if (receivedAt > this.now) this.now = receivedAt
  }

  private open(orders: readonly TradeOrder[]): void {
    const { now } = this
    const used = new Set(this.groups.flatMap((group) => group.orders.map(({ id }) => id)))
    const named = orders.map((order) => {
      const id = this.idOf(order, used)
      const isUsed = used.has(id)
      used.add(id)
      return { order, id, isUsed }
    })
    const double = named.find(({ isUsed }) => isUsed)
    if (double !== undefined) {
      for (const { id, order } of named)
        this.reject(id, order, now, `id: ${double.id} is the id of an open order`)
      return
    }
    const working = named.flatMap(({ id, order }) => {
      const state = this.tokens.get(order.symbol)
      return state === undefined ? [] : [workingOrder(id, order, state)]
    })
    const group = { decidedAt: now, rest: restOf(orders), orders: working }
    for (const each of working) {
      const { price } = each.state
      if (price !== undefined) followPrice(each, price, this.isDue(group, price))
    }
    this.version++
    if (this.isOpenAfter(group)) this.groups.push(group)
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

  private cancel(order: CancelOrder): void {
    const { id } = order
    const group = this.groups.find(({ orders }) => orders.some((each) => each.id === id))
    if (group === undefined) return this.reject(id, order, this.now, `no order with the id ${id} is open`)
    this.groups = this.groups.filter((each) => each !== group)
    this.end(group.orders)
  }

  private follow(state: TokenState, price: Price): void {
    for (const group of this.groups)
      for (const each of group.orders)
        if (each.state === state && followPrice(each, price, this.isDue(group, price))) this.version++
  }

  private isDue({ decidedAt }: OrderGroup, { receivedAt }: Price): boolean {
    return receivedAt >= decidedAt + this.settings.latency
  }

  /** Fills or rejects the orders of a token, in the order of their decision. */
  private settle(state: TokenState): void {
    const open = this.groups.filter(
      (group) => !group.orders.some((each) => each.state === state) || this.isOpenAfter(group),
    )
    if (open.length < this.groups.length) this.groups = open
  }

  /** Fills or rejects a group as far as possible now. True if it is open afterwards. */
  private isOpenAfter(group: OrderGroup): boolean {
    const outcome = outcomeOf(group, this.cash, this.settings)
    if (outcome._tag === 'Waits') return true
    this.version++
    if (outcome._tag === 'Rejected') {
      for (const { id, order } of group.orders) this.reject(id, order, group.decidedAt, outcome.reason)
      return false
    }
    for (const fill of outcome.fills) this.fill(fill, group.decidedAt)
    const rest = group.orders.filter(({ remaining }) => remaining !== undefined && remaining > 0n)
    if (group.rest === 'work' && rest.length > 0) return true
    this.end(rest)
    return false
  }

  private fill(fill: Fill, decidedAt: number): void {
    const { working, side, quantity, remaining, value, fee } = fill
    const { id, order, state } = working
    const { digits } = this.settings
    working.remaining = remaining
    state.take(side, quantity)
    state.trade(side, quantity, value)
    this.cash -= fee + (side === 'buy' ? value : -value)
    this.fees += fee
    this.events.push({
      _tag: 'Filled',
      ...{ id, order, symbol: order.symbol, side, decidedAt, at: this.now },
      price: pricedNumber(fill.price),
      quantity,
      valueUsd: toNumber(value, digits),
      feeUsd: toNumber(fee, digits),
      slippageUsd: toNumber(fill.slippage, digits),
      remaining,
    })
    this.isFilled = true
  }

  private reject(id: string, order: Order, decidedAt: number, reason: string): void {
    this.version++
    this.events.push({ _tag: 'Rejected', id, order, decidedAt, at: this.now, reason })
  }

  private end(orders: readonly WorkingOrder[]): void {
    this.version++
    for (const { id, order, remaining } of orders)
      this.events.push({ _tag: 'Cancelled', id, order, at: this.now, remaining: remaining ?? null })
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
    for (const state of this.tokens.values()) if (state.quantity !== 0n) equity += state.value
    return toNumber(equity, this.settings.digits)
  }

  private held(state: TokenState): HeldPosition {
    const { quantity, averagePrice } = state.position
    return {
      symbol: state.token.symbol,
      quantity,
      averagePrice: averagePrice ?? 0,
      unrealisedUsd: toNumber(state.value - state.cost, this.settings.digits),
    }
  }
}
