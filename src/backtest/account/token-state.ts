import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import type { DefinedToken } from '../../client/tokens.js'
import type { Depth } from '../../base/domain/depth.js'
import type { Price } from '../../base/domain/price.js'
import type { DepthError, PriceError } from '../../base/errors/model.js'
import { renderError } from '../../base/errors/render.js'
import type { Position } from './events.js'
import { wholeShare, type Settings } from './options.js'
import type { Side } from './orders.js'

/** A quantity of a token and what it cost. Changed in place. */
export class Holding {
  /** Base-token units; negative for a short position. */
  quantity = 0n
  /** The average of what was paid, or got for a short position, in USD for one token; 0 without a position. */
  averagePrice = 0
  private readonly scale: number

  constructor(decimals: number) {
    this.scale = 10 ** decimals
  }

  /** A quantity in tokens. */
  amountOf(quantity: bigint): number {
    return Number(quantity) / this.scale
  }

  /** The quantity with a value of at most `usd` at a price, rounded down, or up if `usd` is negative. */
  unitsFor(usd: number, price: number): bigint {
    return price > 0 ? BigInt(Math.trunc((usd / price) * this.scale)) : 0n
  }

  /** Changes the quantity and the average price by a fill. A fill that reduces the position keeps its average. */
  trade(side: Side, quantity: bigint, price: number): void {
    const held = this.quantity
    const after = held + (side === 'buy' ? quantity : -quantity)
    const reducible = this.reducibleBy(side)
    if (reducible === 0n) {
      const value = this.averagePrice * Math.abs(this.amountOf(held)) + price * this.amountOf(quantity)
      this.averagePrice = held === 0n ? price : value / Math.abs(this.amountOf(after))
    } else if (quantity > reducible) this.averagePrice = price
    else if (after === 0n) this.averagePrice = 0
    this.quantity = after
  }

  /** The quantity by which a side can reduce the position. */
  reducibleBy(side: Side): bigint {
    if (side === 'buy') return this.quantity < 0n ? -this.quantity : 0n
    return this.quantity > 0n ? this.quantity : 0n
  }
}

/** What the account knows of a token: its current price and depth, and the position. Changed in place. */
export class TokenState extends Holding {
  /** The current price; undefined before the first one, and after a `Left`. */
  price: Price | undefined
  /** The `Left` in force. */
  priceError: PriceError | undefined
  /**
   * True if the current price arrived later than its `receivedAt`, because the client held it. It values a position, and fills
   * nothing: a depth may be older than the price is known to be, and the fill would be dated before the price.
   */
  isLate = false
  /**
   * The price that values a position, whether or not it is current. An object, because a number that may be undefined is
   * allocated anew for each price.
   */
  last: { readonly price: number } | undefined
  depth: Depth | undefined
  depthError: DepthError | undefined
  /** What orders have taken of each depth, by its `timestamp`: several polls may bring the same depth. */
  readonly taken = new Map<number, Record<Side, bigint>>()

  constructor(readonly token: DefinedToken) {
    super(token.decimals)
  }

  onPrice(event: Either<PriceError, Price>, isLate: boolean): void {
    this.isLate = isLate
    if (isLeft(event)) {
      this.price = undefined
      this.priceError = event.left
    } else {
      this.price = event.right
      this.last = event.right
      this.priceError = undefined
    }
  }

  onDepth(event: Either<DepthError, Depth>): void {
    this.depth = isLeft(event) ? undefined : event.right
    this.depthError = isLeft(event) ? event.left : undefined
  }

  /** Why the price is not current; undefined if it is, and before the first price. */
  get priceProblem(): string | undefined {
    return this.priceError === undefined ? undefined : renderError(this.priceError)
  }

  /** Why no depth is current for this price. */
  depthProblem(price: Price, { maxDepthAge }: Settings): string | undefined {
    if (this.depthError !== undefined) return renderError(this.depthError)
    if (this.depth === undefined) return 'no depth yet'
    const age = price.receivedAt - this.depth.receivedAt
    return age > maxDepthAge ? `the depth is ${age} ms older than the price` : undefined
  }

  /** What orders can still take of a side of the current depth. */
  availableOf(side: Side, { depthShare }: Settings): bigint {
    if (this.depth === undefined) return 0n
    const share = (this.depth[side].totalQuantity * depthShare) / wholeShare
    return share - (this.taken.get(this.depth.timestamp)?.[side] ?? 0n)
  }

  /** Keeps what an order takes of the current depth. */
  take(side: Side, quantity: bigint): void {
    const timestamp = this.depth?.timestamp ?? 0
    const taken = this.taken.get(timestamp) ?? { buy: 0n, sell: 0n }
    taken[side] += quantity
    // The newest use is last.
    this.taken.delete(timestamp)
    this.taken.set(timestamp, taken)
    for (const oldest of this.taken.keys()) if (this.taken.size > keptDepths) this.taken.delete(oldest)
  }

  /** What a buy pays now, or a sell gets, for one token. */
  priceFor(side: Side, { slippageBps }: Settings): number {
    const slippage = (this.lastPrice * slippageBps) / 10_000
    return side === 'buy' ? this.lastPrice + slippage : this.lastPrice - slippage
  }

  /** 0 before the first price. */
  get lastPrice(): number {
    return this.last?.price ?? 0
  }

  /** The value of the position at the last price, in USD; negative for a short position. */
  get value(): number {
    return this.quantity === 0n ? 0 : this.amountOf(this.quantity) * this.lastPrice
  }

  /** The profit at the last price, without fees. */
  get unrealisedUsd(): number {
    return this.amountOf(this.quantity) * (this.lastPrice - this.averagePrice)
  }

  get position(): Position {
    const { quantity, averagePrice } = this
    return { quantity, averagePrice: quantity === 0n ? null : averagePrice }
  }
}

export const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** The number of depths whose taken quantities are kept: a service with several servers may answer with an earlier one. */
const keptDepths = 16
