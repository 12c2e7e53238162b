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
import {
  add,
  divide,
  floor,
  fromDouble,
  isLess,
  multiply,
  negate,
  rational,
  subtract,
  sum,
  toDouble,
  type Rational,
} from './rational.js'

// An independent model of the account. It keeps all inputs, and derives everything from them anew for each input: the
// current values, the triggers of stops, what was taken of a depth, the position and the cash. Amounts are fractions.

export type Input =
  | { readonly _tag: 'Price'; readonly symbol: string; readonly event: Either<PriceError, Price> }
  | { readonly _tag: 'Depth'; readonly symbol: string; readonly event: Either<DepthError, Depth> }
  | { readonly _tag: 'Order'; readonly order: Order }

interface Trade {
  readonly symbol: string
  readonly side: Side
  readonly quantity: bigint
  readonly price: Rational
  readonly fee: Rational
  /** Of the depth that it was taken from. */
  readonly timestamp: number
}

interface Leg {
  readonly id: string
  readonly order: TradeOrder
  remaining: bigint | null
}

interface Group {
  /** The number of inputs before its decision. */
  readonly step: number
  readonly decidedAt: number
  readonly legs: readonly Leg[]
}

const bps = (value: number): Rational => divide(fromDouble(value), rational(10_000n))
const one = rational(1n)
const isMarketOrder = ({ _tag }: TradeOrder): boolean => ['Market', 'Target', 'ClosePosition'].includes(_tag)
const works = (order: TradeOrder): boolean =>
  ('rest' in order ? order.rest : undefined) === 'work' ||
  (!('rest' in order && order.rest === 'cancel') && !isMarketOrder(order))

export class Model {
  private readonly inputs: Input[] = []
  private readonly trades: Trade[] = []
  private groups: Group[] = []
  private numbers = 0
  private events: PaperEvent[] = []
  private equity: { readonly at: number; readonly isCurrent: boolean } | undefined

  constructor(
    private readonly tokens: DefinedTokens,
    private readonly options: Required<Omit<PaperOptions, 'tokens' | 'journal'>>,
  ) {}

  /** The events that an input causes. */
  eventsOf(input: Input): readonly PaperEvent[] {
    this.events = []
    const before = this.isCurrent
    this.inputs.push(input)
    if (input._tag === 'Order') this.decide(input.order)
    else {
      for (const group of this.groups)
        if (group.legs.some(({ order }) => order.symbol === input.symbol)) this.tryToFill(group)
    }
    const { sampleMs } = this.options
    const hasFilled = this.events.some(({ _tag }) => _tag === 'Filled')
    const isFirst = this.equity === undefined && this.now > 0
    const isDue = this.equity !== undefined && this.now - this.equity.at >= sampleMs
    if (isFirst || isDue || hasFilled || (this.equity && before !== this.isCurrent)) {
      this.equity = { at: this.now, isCurrent: this.isCurrent }
      this.events.push({ _tag: 'Equity', ...this.equity, equityUsd: this.value, prices: this.prices })
    }
    return this.events
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

  private amount(symbol: string, quantity: bigint): Rational {
    return rational(quantity, 10n ** BigInt(this.tokens[symbol]!.decimals))
  }

  private get cash(): Rational {
    const flows = this.trades.map(({ symbol, side, quantity, price, fee }) => {
      const value = multiply(price, this.amount(symbol, quantity))
      return negate(add(side === 'buy' ? value : negate(value), fee))
    })
    return add(fromDouble(this.options.cash), sum(flows))
  }

  private get value(): number {
    const values = Object.entries(this.prices).map(([symbol, price]) =>
      multiply(fromDouble(price), this.amount(symbol, this.position(symbol))),
    )
    return toDouble(add(this.cash, sum(values)))
  }

  private get isCurrent(): boolean {
    return Object.keys(this.tokens).every((symbol) => {
      const price = this.price(symbol)
      return this.position(symbol) === 0n || (price !== undefined && isRight(price))
    })
  }

  private decide(order: Order): void {
    if (order._tag === 'Cancel') {
      const group = this.groups.find(({ legs }) => legs.some(({ id }) => id === order.id))
      if (group) return this.end(group, group.legs)
      return this.reject(order.id, order, this.now, `no order with the id ${order.id} is open`)
    }
    const orders = order._tag === 'Together' ? order.orders : [order]
    const open = this.groups.flatMap(({ legs }) => legs.map(({ id }) => id))
    const legs = orders.map((each): Leg => {
      const given = 'id' in each ? each.id : undefined
      if (given === undefined) {
        do this.numbers++
        while (open.includes(String(this.numbers)))
      }
      const remaining = 'side' in each && 'units' in each.size ? each.size.units : null
      return { id: given ?? String(this.numbers), order: each, remaining }
    })
    const double = legs.find(({ id }) => open.includes(id))
    const group = { step: this.inputs.length, decidedAt: this.now, legs }
    this.groups = [...this.groups, group]
    if (double) this.rejectAll(group, `id: ${double.id} is the id of an open order`)
    else this.tryToFill(group)
  }

  private isDue({ decidedAt }: Group, { receivedAt }: Price): boolean {
    return receivedAt >= decidedAt + this.options.latency
  }

  /** True if one of the prices since the decision has triggered a stop. */
  private isTriggered(group: Group, order: TradeOrder): boolean {
    if (order._tag !== 'Stop' && order._tag !== 'TrailingStop') return true
    const { side, symbol } = order
    const atDecision = this.inputs
      .slice(0, group.step)
      .findLast((each) => each._tag === 'Price' && each.symbol === symbol)
    const first = atDecision?._tag === 'Price' && isRight(atDecision.event) ? [atDecision.event.right] : []
    const seen = [...first, ...this.rightPrices(symbol, group.step)]
    return seen.some((price, index) => {
      if (!this.isDue(group, price)) return false
      if (order._tag === 'Stop')
        return side === 'buy' ? price.price >= order.price : price.price <= order.price
      const before = seen.slice(0, index + 1).map((each) => each.price)
      const best = fromDouble(side === 'sell' ? Math.max(...before) : Math.min(...before))
      const off = divide(subtract(fromDouble(price.price), best), best)
      return !isLess(side === 'sell' ? negate(off) : off, bps(order.bps))
    })
  }

  private priceOf(price: Price, side: Side): Rational {
    const { slippageBps } = this.options
    const factor = side === 'buy' ? add(one, bps(slippageBps)) : subtract(one, bps(slippageBps))
    return multiply(fromDouble(price.price), factor)
  }

  private tryToFill(group: Group): void {
    const { legs } = group
    const groupWorks = legs.every(({ order }) => works(order))
    const isImmediate = ({ order }: Leg): boolean => !groupWorks && isMarketOrder(order) && !works(order)
    const prices = legs.map(({ order }) => this.price(order.symbol))
    const lost = prices.findIndex((price, index) => price && isLeft(price) && isImmediate(legs[index]!))
    const lostPrice = prices[lost]
    if (lostPrice && isLeft(lostPrice)) return this.rejectAll(group, renderError(lostPrice.left))
    const ready: { readonly leg: Leg; readonly price: Price }[] = []
    for (const [index, leg] of legs.entries()) {
      const price = prices[index]
      if (!price || isLeft(price) || !this.isDue(group, price.right)) return
      if (!this.isTriggered(group, leg.order)) return
      if (leg.order._tag === 'Limit') {
        const [paid, bound] = [this.priceOf(price.right, leg.order.side), fromDouble(leg.order.price)]
        if (leg.order.side === 'buy' ? isLess(bound, paid) : isLess(paid, bound)) return
      }
      ready.push({ leg, price: price.right })
    }
    for (const { leg, price } of ready) {
      const reason = this.depthProblem(leg.order.symbol, price)
      if (reason !== undefined) return isImmediate(leg) ? this.rejectAll(group, reason) : undefined
    }
    const wanted = ready
      .map(({ leg, price }) => ({ leg, price, ...this.wantedBy(leg, price) }))
      .filter(({ leg, quantity }) => 'side' in leg.order || quantity > 0n)
    let proportion = one
    for (const { leg, side, quantity } of wanted) {
      if (quantity === 0n) return this.rejectAll(group, 'the size is less than one base-token unit')
      const { symbol } = leg.order
      const held = this.position(symbol)
      const isLimited = side === 'sell' && !this.options.allowShort
      if (isLimited && held <= 0n) return this.rejectAll(group, `there is no position of ${symbol} to sell`)
      const free = this.available(symbol, side)
      const most = isLimited && held < free ? held : free
      const all = wanted.filter((each) => each.leg.order.symbol === symbol && each.side === side)
      const share = rational(
        most,
        all.reduce((total, each) => total + each.quantity, 0n),
      )
      if (isLess(share, proportion)) proportion = share
    }
    const trades = wanted.map(({ leg, price, side, quantity }) => {
      const filled = floor(multiply(proportion, rational(quantity)))
      const paid = this.priceOf(price, side)
      const { symbol } = leg.order
      const value = multiply(paid, this.amount(symbol, filled))
      const fee = multiply(value, bps(this.options.feeBps))
      const book = this.depth(symbol)
      const timestamp = book && isRight(book) ? book.right.timestamp : 0
      const trade: Trade = { symbol, side, quantity: filled, price: paid, fee, timestamp }
      return { leg, trade, value, rest: quantity - filled, midpoint: fromDouble(price.price) }
    })
    const empty = trades.find(({ trade }) => trade.quantity <= 0n)
    if (empty) {
      if (legs.some(isImmediate)) this.rejectAll(group, `the depth has no quantity to ${empty.trade.side}`)
      return
    }
    const costs = trades.map(({ trade, value }) =>
      add(trade.side === 'buy' ? value : negate(value), trade.fee),
    )
    if (isLess(this.cash, sum(costs))) return this.rejectAll(group, 'costs more than the cash')
    for (const { leg, trade, value, rest, midpoint } of trades) {
      this.trades.push(trade)
      leg.remaining = rest
      const difference = multiply(subtract(trade.price, midpoint), this.amount(trade.symbol, trade.quantity))
      this.events.push({
        _tag: 'Filled',
        ...{ id: leg.id, order: leg.order, symbol: trade.symbol, side: trade.side },
        ...{ decidedAt: group.decidedAt, at: this.now, quantity: trade.quantity, remaining: rest },
        price: toDouble(trade.price),
        valueUsd: toDouble(value),
        feeUsd: toDouble(trade.fee),
        slippageUsd: toDouble(trade.side === 'buy' ? difference : negate(difference)),
      })
    }
    const rests = legs.filter(({ remaining }) => remaining !== null && remaining > 0n)
    if (!groupWorks || rests.length === 0) this.end(group, rests)
  }

  private depthProblem(symbol: string, price: Price): string | undefined {
    const depth = this.depth(symbol)
    if (depth === undefined) return 'no depth yet'
    if (isLeft(depth)) return renderError(depth.left)
    const age = price.receivedAt - depth.right.receivedAt
    return age > this.options.maxDepthAge ? `the depth is ${age} ms older than the price` : undefined
  }

  private wantedBy(
    { order, remaining }: Leg,
    price: Price,
  ): { readonly side: Side; readonly quantity: bigint } {
    const unitsFor = (side: Side, usd: number): bigint => {
      const paid = this.priceOf(price, side)
      const units = floor(
        divide(
          multiply(fromDouble(Math.abs(usd)), rational(10n ** BigInt(this.tokens[order.symbol]!.decimals))),
          paid,
        ),
      )
      return usd < 0 ? -units : units
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
    const share = floor(multiply(rational(depth.right[side].totalQuantity), bps(this.options.depthShareBps)))
    const taken = this.trades.filter(
      (each) => each.symbol === symbol && each.side === side && each.timestamp === timestamp,
    )
    return taken.reduce((free, { quantity }) => free - quantity, share)
  }

  private rejectAll(group: Group, reason: string): void {
    this.groups = this.groups.filter((each) => each !== group)
    for (const { id, order } of group.legs) this.reject(id, order, group.decidedAt, reason)
  }

  private reject(id: string, order: Order, decidedAt: number, reason: string): void {
    this.events.push({ _tag: 'Rejected', id, order, decidedAt, at: this.now, reason })
  }

  private end(group: Group, legs: readonly Leg[]): void {
    this.groups = this.groups.filter((each) => each !== group)
    for (const { id, order, remaining } of legs)
      this.events.push({ _tag: 'Cancelled', id, order, at: this.now, remaining })
  }
}
