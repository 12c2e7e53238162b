import type { Price } from '../domain/price.js'

/** Summary of the prices of one window: `from` inclusive, `to` exclusive. */
export interface Candle {
  /** The first price, in USD. */
  readonly open: number
  /** The highest price, in USD. */
  readonly high: number
  /** The lowest price, in USD. */
  readonly low: number
  /** The last price, in USD. */
  readonly close: number
  /** Number of prices; at least 1. */
  readonly count: number
  /**
   * Number of `Left`s, of changes of `epoch`, and of gaps of the past since the end of the previous candle, or since
   * the subscription. It includes those of earlier windows without a price. If it is not 0, prices may be missing.
   */
  readonly interruptions: number
  /**
   * False if a `Left` or a gap of the past came after the last price: the source was not current at the end of the
   * window, and `close` is an old price. Trade on `close` only if this is true.
   */
  readonly isCurrent: boolean
  /** Start of the window, in ms of Rx time (since the Unix epoch): a multiple of its length. */
  readonly from: number
  /** End of the window, in ms of Rx time. */
  readonly to: number
}

/** State of `candles`: at most one open window, of `ms` ms. Times are in ms since the Unix epoch. */
export class CandleChart {
  isOpen = false
  /** Number of the window since the Unix epoch. */
  private window = 0
  private open = 0
  private high = 0
  private low = 0
  private close = 0
  private count = 0
  /** Since the previous candle closed. */
  private interruptions = 0
  /** False after a `Left` or a gap, until the next price. */
  private isCurrent = false
  private lastEpoch: number | undefined

  constructor(private readonly ms: number) {}

  /** End of the last window. */
  get to(): number {
    return (this.window + 1) * this.ms
  }

  /** Closes the open window if `now` is outside of it. Returns its candle. */
  closeIfEnded(now: number): Candle | undefined {
    if (!this.isOpen || this.windowAt(now) === this.window) return undefined
    const { open, high, low, close, count, interruptions, isCurrent, window, ms, to } = this
    this.isOpen = false
    this.interruptions = 0
    return { open, high, low, close, count, interruptions, isCurrent, from: window * ms, to }
  }

  /** A `Left` or a gap of the past. */
  interrupt(): void {
    this.interruptions += 1
    this.isCurrent = false
  }

  /** Adds a price to the open window. Returns true if the price opens a window. */
  add(value: Pick<Price, 'price'>, now: number): boolean {
    const { price } = value
    this.countEpoch(value)
    this.isCurrent = true
    if (this.isOpen) {
      this.extend(price)
      return false
    }
    this.isOpen = true
    this.window = this.windowAt(now)
    this.open = price
    this.high = price
    this.low = price
    this.close = price
    this.count = 1
    return true
  }

  private extend(price: number): void {
    this.high = Math.max(this.high, price)
    this.low = Math.min(this.low, price)
    this.close = price
    this.count += 1
  }

  private countEpoch(value: object): void {
    const { epoch } = value as Partial<Price>
    if (typeof epoch !== 'number') return
    if (this.lastEpoch !== undefined && epoch !== this.lastEpoch) this.interruptions += 1
    this.lastEpoch = epoch
  }

  private windowAt(now: number): number {
    return Math.floor(now / this.ms)
  }
}
