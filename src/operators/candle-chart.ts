import type { Price } from '../base/domain/price.js'
import { DataWindow, maxQuietWindows } from './data-window.js'

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
  /** Number of prices: at least 1, or 0 for a window without a price (`fill`). */
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

/** State of `candles`. Times are in ms since the Unix epoch. */
export class CandleChart {
  readonly window: DataWindow
  /** Of the current window. Before its first price, all four prices are the last close. */
  private candle = { open: 0, high: 0, low: 0, close: 0, count: 0, interruptions: 0, isCurrent: false }
  private lastEpoch: number | undefined

  constructor(
    ms: number,
    startedAt: number,
    /** True if a current window without a price has a candle. */
    private readonly fills: boolean,
  ) {
    this.window = new DataWindow(ms, startedAt)
  }

  /** True if the window has a candle, unless a `Left` follows. */
  get isOpen(): boolean {
    return this.candle.count > 0 || (this.fills && this.candle.isCurrent)
  }

  /**
   * Moves to the window of an event or a timer. Returns the candles of the windows before it. `maxPause`: a longer time
   * since the end of the window, in ms, is a pause of the process, in which nothing is known of the source.
   */
  move(time: number, now: number, maxPause: number): readonly Candle[] {
    const { window } = this
    const { number, to } = window
    if (!window.moveTo(time, now) || !this.isOpen) return []
    if (now - to > maxPause) this.lose()
    else if (this.fills && window.number - number > maxQuietWindows) this.interrupt()
    const closed = [this.candleOf(number)]
    const { close, isCurrent } = this.candle
    this.candle = { open: close, high: close, low: close, close, count: 0, interruptions: 0, isCurrent }
    if (!this.fills || !isCurrent) return closed
    for (let next = number + 1; next < window.number; next++) {
      closed.push(this.candleOf(next))
    }
    return closed
  }

  /** Moves to the window of an event that is not the latest one: of a past, or held. */
  moveInPast(time: number): readonly Candle[] {
    return this.move(time, Math.max(time, this.window.latest), Infinity)
  }

  /** No price is missing before the next one: a change of its epoch does not count. */
  continue(): void {
    this.lastEpoch = undefined
  }

  /** A `Left` or a gap of the past. */
  interrupt(): void {
    this.candle.interruptions += 1
    this.lose()
  }

  /** Until the next price, it is not known whether the last one is current. */
  lose(): void {
    this.candle.isCurrent = false
  }

  add({ price, epoch }: Pick<Price, 'price'> & { readonly epoch?: unknown }): void {
    const { candle, lastEpoch } = this
    if (typeof epoch === 'number') {
      if (lastEpoch !== undefined && epoch !== lastEpoch) candle.interruptions += 1
      this.lastEpoch = epoch
    }
    if (candle.count === 0) candle.open = candle.high = candle.low = price
    candle.high = Math.max(candle.high, price)
    candle.low = Math.min(candle.low, price)
    candle.close = price
    candle.count += 1
    candle.isCurrent = true
  }

  private candleOf(number: number): Candle {
    const { ms } = this.window
    return { ...this.candle, from: number * ms, to: (number + 1) * ms }
  }
}
