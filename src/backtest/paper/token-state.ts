import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import type { DefinedToken } from '../../client/tokens.js'
import type { Depth } from '../../base/domain/depth.js'
import type { Price } from '../../base/domain/price.js'
import type { DepthError, PriceError } from '../../base/errors/model.js'
import { renderError } from '../../base/errors/render.js'
import { exact, priceDigits, quotient, shareDigits, toNumber, whole } from './exact.js'
import type { Position } from './events.js'
import type { Settings } from './options.js'
import type { Side } from './orders.js'

/** A quantity and its cost. Changed in place. */
export class Holding {
  /** Base-token units; negative for a short position. */
  quantity = 0n
  /** What was paid for the quantity, without fees, as an integer of any unit; negative for a short position. */
  cost = 0n

  /** Changes the quantity by a fill, and the cost by its value, or in proportion if the fill reduces the position. */
  trade(side: Side, quantity: bigint, value: bigint): void {
    const change = side === 'buy' ? quantity : -quantity
    const paid = side === 'buy' ? value : -value
    const after = this.quantity + change
    if (!this.isReducedBy(side)) this.cost += paid
    // The division is the only rounding of the account. A position that is closed has no cost.
    else if (after === 0n || after > 0n === this.quantity > 0n)
      this.cost = (this.cost * after) / this.quantity
    else this.cost = (paid * after) / change
    this.quantity = after
  }

  isReducedBy(side: Side): boolean {
    return side === 'buy' ? this.quantity < 0n : this.quantity > 0n
  }
}

/**
 * What the account knows of a token: its current price and depth, and the position, with its cost in units of the account's
 * `digits`. Changed in place.
 */
export class TokenState extends Holding {
  /** The current price; undefined before the first one, and after a `Left`. */
  price: Price | undefined
  /** The `Left` in force. */
  priceError: PriceError | undefined
  /**
   * The price that values a position, whether or not it is current. An object, because a number that may be undefined is
   * allocated anew for each price.
   */
  last: { readonly price: number } | undefined
  depth: Depth | undefined
  depthError: DepthError | undefined
  /** What orders have taken of each depth, by its `timestamp`: several polls may bring the same depth. */
  readonly taken = new Map<number, Record<Side, bigint>>()
  /** A last price, and its exact amount: an order, its fill and the value of the position need the same one. */
  private exactLast: { readonly of: { readonly price: number }; readonly amount: bigint } | undefined
  /** The value of one base-token unit at a price of one unit of a price with slippage. */
  private readonly unitValue: bigint

  constructor(
    readonly token: DefinedToken,
    private readonly digits: number,
  ) {
    super()
    this.unitValue = 10n ** BigInt(digits - pricedDigits - token.decimals)
  }

  onPrice(event: Either<PriceError, Price>): void {
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
    const share = (this.depth[side].totalQuantity * depthShare) / whole
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

  /** What a buy pays now, or a sell gets. */
  priceFor(side: Side, { slippageShare }: Settings): bigint {
    return this.lastAmount * (side === 'buy' ? whole + slippageShare : whole - slippageShare)
  }

  /** The last price, in units of a price with slippage. */
  get midpoint(): bigint {
    return this.lastAmount * whole
  }

  private get lastAmount(): bigint {
    const { last } = this
    if (last === undefined) return 0n
    if (this.exactLast?.of !== last) this.exactLast = { of: last, amount: exact(last.price, priceDigits) }
    return this.exactLast.amount
  }

  /** The value of a quantity at a price with slippage. */
  valueAt(quantity: bigint, priced: bigint): bigint {
    return quantity * priced * this.unitValue
  }

  /** The quantity with a value of at most `amount`, at a price with slippage. */
  quantityFor(amount: bigint, priced: bigint): bigint {
    return priced === 0n ? 0n : amount / (priced * this.unitValue)
  }

  /** The value of the position at the last price. */
  get value(): bigint {
    return this.valueAt(this.quantity, this.midpoint)
  }

  get position(): Position {
    const { quantity, cost } = this
    if (quantity === 0n) return { quantity, averagePrice: null }
    const [dividend, divisor] = quantity < 0n ? [-cost, -quantity] : [cost, quantity]
    const units = 10n ** BigInt(this.digits - this.token.decimals)
    return { quantity, averagePrice: quotient(dividend, divisor * units) }
  }
}

/** Digits after the point of a price with slippage. */
export const pricedDigits = priceDigits + shareDigits

export const pricedNumber = (amount: bigint): number => toNumber(amount, pricedDigits)

/** The number of depths whose taken quantities are kept: a service with several servers may answer with an earlier one. */
const keptDepths = 16
