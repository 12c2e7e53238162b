import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { Observable, type Subscriber } from 'rxjs'
import type { Price } from '../domain/price.js'
import { delay } from '../time/deadline.js'
import { rxClock } from '../time/rx-clock.js'
import { checkTimerMs } from './check-ms.js'
import type { EitherOperator } from './either.js'
import { OperatorSubscriber } from './operator-subscriber.js'

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
   * Number of `Left`s and of changes of `epoch` since the end of the previous candle, or since the subscription: those in
   * this window, and those in windows without a price before it. If it is not 0, prices may be missing.
   */
  readonly interruptions: number
  /** Start of the window, in ms of Rx time (since the Unix epoch): a multiple of its length. */
  readonly from: number
  /** End of the window, in ms of Rx time. */
  readonly to: number
}

/**
 * Emits open, high, low and close of the prices in windows of `ms` milliseconds, aligned to multiples of `ms`. Each
 * candle is emitted when its window closes; a window without a price emits none. Accepts all values with a `price`.
 *
 * ```
 *              0         10        20
 * source       --a--b-L----c----------d---|     L: Left
 * candles(10)  -------L--x---------y------|     x: a and b, from 0 to 10; y: c, from 10 to 20
 * ```
 *
 * - The arrival of a price decides its window. A price that arrives at `to` belongs to the next window.
 * - A `Left` is emitted immediately and does not change the prices of the candle: candles record past prices.
 * - `interruptions` shows that a candle is not complete: it counts each `Left`, and each price whose `epoch` differs from
 *   that of the price before it. An interruption in a window without a price counts in the next candle, so that each
 *   counts once. After a `Stale` without a new epoch, only the candle with the `Left` counts it.
 * - The first candle contains only prices since the subscription. Completion drops the candle of an open window.
 * - If the clock is set back to a time before the window, the window closes.
 *
 * @param ms length of a window, in ms: 1 to 2147483647. Any other value throws a `ConfigurationError`.
 *
 * @example
 * client.price$(topic).pipe(candles(60_000)) // Observable<Either<PriceError, Candle>>
 */
export const candles = <E>(ms: number): EitherOperator<E, Pick<Price, 'price'>, Either<E, Candle>> => {
  checkTimerMs('candles', ms, 1)
  return (source$) =>
    new Observable((subscriber) => new CandlesSubscriber<E>(subscriber, ms).subscribeTo(source$))
}

class CandlesSubscriber<E> extends OperatorSubscriber<Either<E, Pick<Price, 'price'>>, Either<E, Candle>> {
  private readonly chart: CandleChart

  constructor(subscriber: Subscriber<Either<E, Candle>>, ms: number) {
    super(subscriber)
    this.chart = new CandleChart(ms)
  }

  protected onEvent(event: Either<E, Pick<Price, 'price'>>): void {
    const now = rxClock.wallClock()
    const closed = this.chart.closeIfEnded(now)
    // The chart is changed before a handler can feed an event back.
    if (isLeft(event)) {
      this.chart.interrupt()
      this.emit(closed)
      this.subscriber.next(event)
    } else {
      const opensWindow = this.chart.add(event.right, now)
      const { to } = this.chart
      this.emit(closed)
      if (opensWindow) this.closeLater(to, now)
    }
  }

  protected onComplete(): void {
    this.emit(this.chart.closeIfEnded(rxClock.wallClock()))
    this.subscriber.complete()
  }

  /** The clock decides the window of a price. A timer may fire a millisecond early by that clock, and is then restarted. */
  private closeLater(to: number, now: number): void {
    const timer = delay(rxClock, Math.max(1, to - now), () => {
      timer.unsubscribe()
      const firedAt = rxClock.wallClock()
      const closed = this.chart.closeIfEnded(firedAt)
      if (closed === undefined && this.chart.isOpen && this.chart.to === to) this.closeLater(to, firedAt)
      this.emit(closed)
    })
    this.add(timer)
  }

  private emit(closed: Candle | undefined): void {
    if (closed !== undefined) this.subscriber.next(right(closed))
  }
}

/** State of `candles`: at most one open window, of `ms` ms. Times are in ms since the Unix epoch. */
class CandleChart {
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
  private lastEpoch: number | undefined

  constructor(private readonly ms: number) {}

  /** End of the last window. */
  get to(): number {
    return (this.window + 1) * this.ms
  }

  /** Closes the open window if `now` is outside of it. Returns its candle. */
  closeIfEnded(now: number): Candle | undefined {
    if (!this.isOpen || this.windowAt(now) === this.window) return undefined
    const { open, high, low, close, count, interruptions, window, ms, to } = this
    this.isOpen = false
    this.interruptions = 0
    return { open, high, low, close, count, from: window * ms, to, interruptions }
  }

  interrupt(): void {
    this.interruptions += 1
  }

  /** Adds a price to the open window. True if it opens one. */
  add(value: Pick<Price, 'price'>, now: number): boolean {
    const { price } = value
    this.countEpoch(value)
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
    if (this.lastEpoch !== undefined && epoch !== this.lastEpoch) this.interrupt()
    this.lastEpoch = epoch
  }

  private windowAt(now: number): number {
    return Math.floor(now / this.ms)
  }
}
