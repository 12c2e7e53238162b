import { isLeft, isRight, type Either } from 'fp-ts/lib/Either.js'
import {
  renderError,
  type DefinedTokens,
  type Depth,
  type DepthError,
  type Price,
  type PriceError,
} from 'svc-streams'
import type { Order, PaperEvent, PaperOptions, Side, TradeOrder } from 'svc-streams/paper'
// An independent model of the account. It keeps all inputs, and derives everything from them anew for each input: the
// current values, the triggers of stops, whether a limit rests, what was taken of a depth, the position and the cash.

export type Input =
  | { readonly _tag: 'Price'; readonly symbol: string; readonly event: Either<PriceError, Price> }
  | { readonly _tag: 'Depth'; readonly symbol: string; readonly event: Either<DepthError, Depth> }
  | { readonly _tag: 'Order'; readonly order: Order; readonly decidedAt: number }

interface Trade {
  readonly symbol: string
  readonly side: Side
  readonly quantity: bigint
  readonly value: number
  readonly fee: number
  /** Of the depth that it was taken from. */
  readonly timestamp: number
}

interface Open {
  readonly id: string
  readonly order: TradeOrder
  /** The number of inputs before its decision. */
  readonly step: number
  readonly decidedAt: number
  readonly isForced: boolean
  remaining: bigint | null
}

const isMarketOrder = ({ _tag }: TradeOrder): boolean => ['Market', 'Target', 'ClosePosition'].includes(_tag)
const works = ({ order, isForced }: Open): boolean =>
  isForced ||
  ('rest' in order ? order.rest : undefined) === 'work' ||
  (!('rest' in order && order.rest === 'cancel') && !isMarketOrder(order))
const absolute = (quantity: bigint): bigint => (quantity < 0n ? -quantity : quantity)

export class Model {
  private readonly inputs: Input[] = []
  private readonly trades: Trade[] = []
  private open: Open[] = []
  private isLiquidated = false
  private numbers = 0
  private events: PaperEvent[] = []
  private equity: { readonly at: number; readonly isCurrent: boolean } | undefined

  constructor(
    private readonly tokens: DefinedTokens,
    private readonly options: Required<Omit<PaperOptions, 'tokens' | 'journal' | 'warmUp'>>,
  ) {}

  /** The events that an input causes. */
  eventsOf(input: Input): readonly PaperEvent[] {
    this.events = []
    const [before, pricesBefore] = [this.isCurrent, this.prices]
    this.inputs.push(input)
    if (input._tag === 'Order') this.decide(input.order, input.decidedAt)
    else for (const each of this.open) if (each.order.symbol === input.symbol) this.tryToFill(each)
    if (input._tag !== 'Price' || isRight(input.event)) this.checkEquity()
    const { sampleMs } = this.options
    const hasFilled = this.events.some(({ _tag }) => _tag === 'Filled')
    const isFirst = this.equity === undefined && this.now > 0
    const isDue = this.equity !== undefined && this.now - this.equity.at >= sampleMs
    const [priceBefore, price] =
      'symbol' in input ? [pricesBefore, this.prices].map((each) => each[input.symbol]) : []
    const isFirstPrice = priceBefore === undefined && price !== undefined
    const isNewPriceOfItsTime = priceBefore !== price && this.now === this.equity?.at
    const hasNewPrice = isFirstPrice || isNewPriceOfItsTime
    if (isFirst || isDue || hasFilled || hasNewPrice || (this.equity && before !== this.isCurrent)) {
      this.equity = { at: this.now, isCurrent: this.isCurrent }
      this.events.push({ _tag: 'Equity', ...this.equity, equityUsd: this.value, prices: this.prices })
    }
    return this.events
  }

  private checkEquity(): void {
    const held = Object.keys(this.tokens).filter((symbol) => this.position(symbol) !== 0n)
    const hasFilled = this.events.some(({ _tag }) => _tag === 'Filled')
    if (this.isLiquidated || this.value > 0 || (held.length === 0 && !hasFilled)) return
    this.isLiquidated = true
    this.events.push({ _tag: 'Liquidated', at: this.now, equityUsd: this.value })
    for (const each of this.open) this.end(each)
    this.open = held.map((symbol) => ({
      ...{ id: this.nextNumber([]), order: { _tag: 'ClosePosition', symbol } },
      ...{ step: this.inputs.length, decidedAt: this.now, isForced: true, remaining: null },
    }))
  }

  get now(): number {
    return Math.max(0, ...this.inputs.map((each) => this.receivedAt(each)))
  }

  private receivedAt(input: Input): number {
    if (input._tag === 'Order') return 0
    const event: Either<unknown, Price | Depth> = input.event
    return isRight(event) ? event.right.receivedAt : 0
  }

  private price(symbol: string): Either<PriceError, Price> | undefined {
    const last = this.inputs.findLast((each) => each._tag === 'Price' && each.symbol === symbol)
    return last?._tag === 'Price' ? last.event : undefined
  }

  private depth(symbol: string): Either<DepthError, Depth> | undefined {
    const last = this.inputs.findLast((each) => each._tag === 'Depth' && each.symbol === symbol)
    return last?._tag === 'Depth' ? last.event : undefined
  }

  private rightPrices(symbol: string, from = 0): readonly Price[] {
    return this.inputs
      .slice(from)
      .flatMap((each) =>
        each._tag === 'Price' && each.symbol === symbol && isRight(each.event) ? [each.event.right] : [],
      )
  }

  private get prices(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      Object.keys(this.tokens).flatMap((symbol) => {
        const last = this.rightPrices(symbol).at(-1)
        return last === undefined ? [] : [[symbol, last.price]]
      }),
    )
  }

  position(symbol: string): bigint {
    return this.trades
      .filter((each) => each.symbol === symbol)
      .reduce((total, { side, quantity }) => total + (side === 'buy' ? quantity : -quantity), 0n)
  }

  private amount(symbol: string, quantity: bigint): number {
    return Number(quantity) / 10 ** this.tokens[symbol]!.decimals
  }

  private get cash(): number {
    return this.trades.reduce(
      (cash, { side, value, fee }) => cash + (side === 'buy' ? -value : value) - fee,
      this.options.cash,
    )
  }

  private get value(): number {
    return Object.keys(this.tokens).reduce(
      (total, symbol) => total + this.amount(symbol, this.position(symbol)) * (this.prices[symbol] ?? 0),
      this.cash,
    )
  }

  private get isCurrent(): boolean {
    return Object.keys(this.tokens).every((symbol) => {
      const price = this.price(symbol)
      return this.position(symbol) === 0n || (price !== undefined && isRight(price))
    })
  }

  private nextNumber(used: readonly string[]): string {
    do this.numbers++
    while (used.includes(String(this.numbers)))
    return String(this.numbers)
  }

  private decide(order: Order, givenAt: number): void {
    const decidedAt = Math.max(givenAt, this.now)
    const used = this.open.map(({ id }) => id)
    const given = 'id' in order ? order.id : undefined
    if (this.isLiquidated)
      return this.reject(given ?? this.nextNumber([]), order, decidedAt, 'the account is liquidated')
    if (order._tag === 'Cancel') {
      const found = this.open.find(({ id }) => id === order.id)
      if (found) return this.end(found)
      return this.reject(order.id, order, decidedAt, `no order with this id is open: ${order.id}`)
    }
    const id = given ?? this.nextNumber(used)
    if (used.includes(id)) return this.reject(id, order, decidedAt, `id: ${id} is the id of an open order`)
    const remaining = 'side' in order && 'units' in order.size ? order.size.units : null
    const step = this.inputs.length
    const opened = { id, order, step, decidedAt, isForced: false, remaining }
    this.open = [...this.open, opened]
    this.tryToFill(opened)
  }

  /** The prices that an order has seen: that at its decision, and those since. */
  private seenBy({ order, step }: Open): readonly Price[] {
    const atDecision = this.inputs
      .slice(0, step)
      .findLast((each) => each._tag === 'Price' && each.symbol === order.symbol)
    const first = atDecision?._tag === 'Price' && isRight(atDecision.event) ? [atDecision.event.right] : []
    return [...first, ...this.rightPrices(order.symbol, step)]
  }

  /** When a price since the decision triggered a stop; undefined before. */
  private triggeredAt(open: Open): number | undefined {
    const { order, decidedAt } = open
    const seen = this.seenBy(open)
    return seen.find((price, index) => {
      if (price.receivedAt < decidedAt + this.options.latency) return false
      if (order._tag === 'Stop')
        return order.side === 'buy' ? price.price >= order.price : price.price <= order.price
      if (order._tag !== 'TrailingStop') return false
      const before = seen.slice(0, index + 1).map((each) => each.price)
      const best = order.side === 'sell' ? Math.max(...before) : Math.min(...before)
      const bound = best * (order.side === 'sell' ? 1 - order.bps / 10_000 : 1 + order.bps / 10_000)
      if (price.price === best) return false
      return order.side === 'sell' ? price.price <= bound : price.price >= bound
    })?.receivedAt
  }

  /** True for a limit that has had its chance: an input before this one found it with a price after the latency. */
  private isResting({ order, step, decidedAt }: Open): boolean {
    let last: Price | undefined
    return this.inputs.slice(0, -1).some((input, index) => {
      if (input._tag === 'Price' && input.symbol === order.symbol)
        last = isRight(input.event) ? input.event.right : undefined
      const isItsTurn =
        index === step - 1 || (index >= step && input._tag !== 'Order' && input.symbol === order.symbol)
      return isItsTurn && last !== undefined && last.receivedAt >= decidedAt + this.options.latency
    })
  }

  private tryToFill(open: Open): void {
    const { order, decidedAt } = open
    const { latency, allowShort } = this.options
    const { symbol } = order
    const isImmediate = isMarketOrder(order) && !works(open)
    const price = this.price(symbol)
    if (price && isLeft(price) && isImmediate) return this.remove(open, renderError(price.left))
    if (!price || isLeft(price)) return
    if (open.isForced) {
      // The next price after the liquidation.
      if (this.rightPrices(symbol, open.step).length === 0) return
    } else if (order._tag === 'Stop' || order._tag === 'TrailingStop') {
      const triggeredAt = this.triggeredAt(open)
      if (triggeredAt === undefined || price.right.receivedAt < triggeredAt + latency) return
    } else if (price.right.receivedAt < decidedAt + latency) return
    if (order._tag === 'Limit') {
      const paid = this.priceOf(price.right, order.side)
      if (order.side === 'buy' ? paid > order.price : paid < order.price) return
    }
    const problem = this.depthProblem(symbol, price.right)
    if (problem !== undefined) return isImmediate ? this.remove(open, problem) : undefined
    const { side, quantity: wanted } = this.wantedBy(open, price.right)
    if (wanted === 0n) {
      if ('side' in order) return this.remove(open, 'the size is less than one base-token unit')
      this.open = this.open.filter((each) => each !== open)
      return
    }
    const held = this.position(symbol)
    const isLimited = side === 'sell' && !allowShort
    if (isLimited && held <= 0n) return this.remove(open, `there is no position of ${symbol} to sell`)
    const limits = [wanted, this.available(symbol, side), ...(isLimited ? [held] : [])]
    const most = limits.reduce((least, each) => (each < least ? each : least))
    if (most <= 0n) return isImmediate ? this.remove(open, `the depth has no quantity to ${side}`) : undefined
    const opposite = side === 'buy' ? held < 0n : held > 0n
    const reducing = opposite ? (absolute(held) < most ? absolute(held) : most) : 0n
    const isExcessive = reducing < most && this.exceeds(open, side, most, price.right)
    if (isExcessive && reducing === 0n)
      return this.remove(
        open,
        `the positions would exceed the equity times maxLeverage, ${this.options.maxLeverage}`,
      )
    this.trade(open, side, isExcessive ? reducing : most, wanted, price.right)
  }

  private exceeds(open: Open, side: Side, quantity: bigint, price: Price): boolean {
    const { value, fee } = this.costsOf(open, side, quantity, price)
    const worths = Object.keys(this.tokens).map((symbol) => {
      const change = symbol === open.order.symbol ? (side === 'buy' ? quantity : -quantity) : 0n
      return this.amount(symbol, this.position(symbol) + change) * (this.prices[symbol] ?? 0)
    })
    const exposure = worths.reduce((total, each) => total + Math.abs(each), 0)
    const equity = worths.reduce(
      (total, each) => total + each,
      this.cash - fee + (side === 'buy' ? -value : value),
    )
    return exposure > equity * this.options.maxLeverage + exposure * 1e-9
  }

  private costsOf(open: Open, side: Side, quantity: bigint, price: Price) {
    const { order } = open
    const paid = order._tag === 'Limit' && this.isResting(open) ? order.price : this.priceOf(price, side)
    const value = this.amount(order.symbol, quantity) * paid
    return { paid, value, fee: (value * this.options.feeBps) / 10_000 }
  }

  private trade(open: Open, side: Side, quantity: bigint, wanted: bigint, price: Price): void {
    const { id, order, decidedAt } = open
    const { symbol } = order
    const { paid, value, fee } = this.costsOf(open, side, quantity, price)
    const book = this.depth(symbol)
    const timestamp = book && isRight(book) ? book.right.timestamp : 0
    this.trades.push({ symbol, side, quantity, value, fee, timestamp })
    open.remaining = wanted - quantity
    const atMidpoint = this.amount(symbol, quantity) * price.price
    this.events.push({
      _tag: 'Filled',
      ...{ id, order, symbol, side, decidedAt, at: this.now, quantity, remaining: open.remaining },
      ...{ price: paid, valueUsd: value, feeUsd: fee },
      slippageUsd: side === 'buy' ? value - atMidpoint : atMidpoint - value,
    })
    if (open.remaining === 0n) this.open = this.open.filter((each) => each !== open)
    else if (!works(open)) this.end(open)
  }

  private priceOf(price: Price, side: Side): number {
    const slippage = (price.price * this.options.slippageBps) / 10_000
    return price.price + (side === 'buy' ? slippage : -slippage)
  }

  private depthProblem(symbol: string, price: Price): string | undefined {
    const depth = this.depth(symbol)
    if (depth === undefined) return 'no depth yet'
    if (isLeft(depth)) return renderError(depth.left)
    const age = price.receivedAt - depth.right.receivedAt
    return age > this.options.maxDepthAge ? `the depth is too old: ${age} ms older than the price` : undefined
  }

  private wantedBy(open: Open, price: Price): { readonly side: Side; readonly quantity: bigint } {
    const { order, remaining } = open
    const unitsFor = (side: Side, usd: number): bigint => {
      const { paid } = this.costsOf(open, side, 0n, price)
      const { decimals } = this.tokens[order.symbol]!
      return (scaled(usd) * 10n ** BigInt(decimals)) / scaled(paid)
    }
    if ('side' in order) {
      const { side, size } = order
      return { side, quantity: remaining ?? ('usd' in size ? unitsFor(side, size.usd) : size.units) }
    }
    const size = order._tag === 'Target' ? order.size : { units: 0n }
    const [forBuy, forSell] = (['buy', 'sell'] as const).map((side) =>
      'usd' in size ? unitsFor(side, size.usd) : size.units,
    ) as [bigint, bigint]
    const held = this.position(order.symbol)
    if (held < forBuy && held < forSell)
      return { side: 'buy', quantity: (forBuy < forSell ? forBuy : forSell) - held }
    if (held > forBuy && held > forSell)
      return { side: 'sell', quantity: held - (forBuy > forSell ? forBuy : forSell) }
    return { side: 'sell', quantity: 0n }
  }

  private available(symbol: string, side: Side): bigint {
    const depth = this.depth(symbol)
    if (!depth || isLeft(depth)) return 0n
    const { timestamp } = depth.right
    const share = (depth.right[side].totalQuantity * BigInt(this.options.depthShareBps)) / 10_000n
    const taken = this.trades.filter(
      (each) => each.symbol === symbol && each.side === side && each.timestamp === timestamp,
    )
    return taken.reduce((free, { quantity }) => free - quantity, share)
  }

  private remove(open: Open, reason: string): void {
    this.open = this.open.filter((each) => each !== open)
    this.reject(open.id, open.order, open.decidedAt, reason)
  }

  private reject(id: string, order: Order, decidedAt: number, reason: string): void {
    this.events.push({ _tag: 'Rejected', id, order, decidedAt, at: this.now, reason })
  }

  private end(open: Open): void {
    const { id, order, remaining } = open
    this.open = this.open.filter((each) => each !== open)
    this.events.push({ _tag: 'Cancelled', id, order, at: this.now, remaining })
  }
}

/** A number, as its text has it, times 10 ** 400. */
const scaled = (number: number): bigint => {
  const [text = '', exponent = '0'] = String(number).split('e')
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction) * 10n ** BigInt(400 + Number(exponent) - fraction.length)
}
