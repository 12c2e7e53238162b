import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import type { Depth } from '../../base/domain/depth.js'
import type { Price } from '../../base/domain/price.js'
import type { DepthError, PriceError } from '../../base/errors/model.js'
import { renderError } from '../../base/errors/render.js'
import type { DefinedToken } from '../../client/tokens.js'
import type { Position } from './events.js'
import { wholeShare, type Settings } from './options.js'
import type { Side } from './orders.js'

/** A token of an account: its current price and depth, and the position. Changed in place. */
export class TokenState {
  /** The current price; undefined before the first one, and after a `Left`. */
  price: Price | undefined
  /** Why the price is not current; undefined if it is, and before the first price. */
  priceError: PriceError | undefined
  /**
   * True if the current price fills nothing: it is one of the warm-up, it has caused a liquidation, or it arrived later than its
   * `receivedAt`, because the client held it. A depth may then be older than the price is known to be, and the fill would be dated before
   * the price.
   */
  fillsNothing = false
  /** True if a depth with another price came after the current price, which is then the older one, also in one ms. */
  isBehind = false
  /** The price that values a position, whether or not it is current; 0 before the first one. */
  lastPrice = 0
  private depth: Depth | undefined
  private depthError: DepthError | undefined
  /** What orders have taken of each depth, by its `timestamp`: several polls may bring the same depth. */
  readonly taken = new Map<number, Record<Side, bigint>>()
  position: Position = { quantity: 0n, averagePrice: null }
  /** The position in tokens. A number, because arithmetic with `bigint` for each price would cost more than the rules. */
  private amount = 0
  private readonly scale: number

  constructor(readonly token: DefinedToken) {
    this.scale = 10 ** token.decimals
  }

  onPrice(event: Either<PriceError, Price>, isLate: boolean): void {
    this.fillsNothing = isLate
    this.isBehind = false
    this.price = isLeft(event) ? undefined : event.right
    this.priceError = isLeft(event) ? event.left : undefined
    if (this.price !== undefined) this.lastPrice = this.price.price
  }

  onDepth(event: Either<DepthError, Depth>): void {
    this.depth = isLeft(event) ? undefined : event.right
    this.depthError = isLeft(event) ? event.left : undefined
    if (this.depth !== undefined) this.isBehind = this.depth.price !== this.price?.price
  }

  /** Why no depth is current for this price. */
  depthProblem(price: Price, { maxDepthAge }: Settings): string | undefined {
    if (this.depthError !== undefined) return renderError(this.depthError)
    if (this.depth === undefined) return 'no depth yet'
    const age = price.receivedAt - this.depth.receivedAt
    return age > maxDepthAge ? `the depth is too old: ${age} ms older than the price` : undefined
  }

  /** What orders can still take of a side of the current depth. */
  availableOf(side: Side, { depthShare }: Settings): bigint {
    if (this.depth === undefined) return 0n
    const share = (this.depth[side].totalQuantity * depthShare) / wholeShare
    return share - (this.taken.get(this.depth.timestamp)?.[side] ?? 0n)
  }

  /** Changes the position by a fill with the current depth. A fill that reduces the position keeps its average price. */
  trade(side: Side, quantity: bigint, price: number): void {
    this.take(side, quantity)
    const { quantity: held, averagePrice } = this.position
    const after = held + (side === 'buy' ? quantity : -quantity)
    const reducible = this.reducibleBy(side)
    if (averagePrice === null || quantity > reducible) {
      const isAdded = averagePrice !== null && reducible === 0n
      const added = price * this.amountOf(quantity)
      this.hold(
        after,
        isAdded ? (averagePrice * Math.abs(this.amount) + added) / Math.abs(this.amountOf(after)) : price,
      )
    } else this.hold(after, averagePrice)
  }

  hold(quantity: bigint, averagePrice: number): void {
    this.position = { quantity, averagePrice: quantity === 0n ? null : averagePrice }
    this.amount = this.amountOf(quantity)
  }

  private take(side: Side, quantity: bigint): void {
    const timestamp = this.depth?.timestamp ?? 0
    const taken = this.taken.get(timestamp) ?? { buy: 0n, sell: 0n }
    taken[side] += quantity
    // The newest use is last.
    this.taken.delete(timestamp)
    this.taken.set(timestamp, taken)
    for (const oldest of this.taken.keys()) if (this.taken.size > keptDepths) this.taken.delete(oldest)
  }

  /** The quantity by which a side can reduce the position. */
  reducibleBy(side: Side): bigint {
    const opposite = side === 'buy' ? -this.position.quantity : this.position.quantity
    return opposite > 0n ? opposite : 0n
  }

  /** What a buy pays now, or a sell gets, for one token. */
  priceFor(side: Side, { slippageBps }: Settings): number {
    const slippage = (this.lastPrice * slippageBps) / 10_000
    return side === 'buy' ? this.lastPrice + slippage : this.lastPrice - slippage
  }

  /** A quantity in tokens. */
  amountOf(quantity: bigint): number {
    return Number(quantity) / this.scale
  }

  /** The quantity with a value of at most `usd` at a price, rounded down, or up if `usd` is negative. */
  unitsFor(usd: number, price: number): bigint {
    if (price <= 0 || price === Infinity) return 0n
    const [value, valueExponent] = decimalOf(usd)
    const [divisor, exponent] = decimalOf(price)
    const shift = this.token.decimals + valueExponent - exponent
    return shift < 0 ? value / (divisor * 10n ** BigInt(-shift)) : (value * 10n ** BigInt(shift)) / divisor
  }

  /** The value of the position at the last price, in USD; negative for a short position. */
  get value(): number {
    return this.amount * this.lastPrice
  }

  get unrealisedUsd(): number {
    return this.amount * (this.lastPrice - (this.position.averagePrice ?? 0))
  }
}

/** A number as `digits × 10 ** exponent`: the digits are those of its text, as few as identify it. */
const decimalOf = (number: number): readonly [digits: bigint, exponent: number] => {
  const [mantissa = '', exponent] = number.toExponential().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return [BigInt(whole + fraction), Number(exponent) - fraction.length]
}

/** The number of depths whose taken quantities are kept: a service with several servers may answer with an earlier one. */
const keptDepths = 16
