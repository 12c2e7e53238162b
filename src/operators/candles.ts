import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { isObservable, Observable, type Subscriber } from 'rxjs'
import type { PastEvent } from '../domain/past.js'
import type { HistoryError } from '../errors/model.js'
import { checkedOption, type OptionTable } from '../option-kinds/option.js'
import { parseOptions } from '../option-kinds/parse-options.js'
import { delay } from '../time/deadline.js'
import { rxClock } from '../time/rx-clock.js'
import { CandleChart, type Candle } from './candle-chart.js'
import { checkTimerMs } from './check-ms.js'
import type { EitherOperator } from './either.js'
import { OperatorSubscriber } from './operator-subscriber.js'
import {
  joinPast,
  pastTimeoutOption,
  type JoinObserver,
  type PastStream,
  type WithPastOptions,
} from './with-past.js'

export interface CandlesOptions extends WithPastOptions {
  /**
   * Past prices from a history, before the live prices. Default: none.
   *
   * @example
   * import { openHistory } from 'svc-streams/history'
   * const past$ = openHistory(['market.ndjson']).prices$(topic, { from: Date.now() - 20 * 60_000 })
   */
  readonly past$?: PastStream
}

/** A value with a current price. Excludes past prices, because the arrival of a value decides its window. */
export interface Priced {
  readonly price: number
  readonly _tag?: never
}

/**
 * Emits open, high, low and close of the prices in windows of `ms` milliseconds, aligned to multiples of `ms`. Each
 * candle is emitted when its window closes; a window without a price has no candle. Accepts all values with a `price`,
 * except past prices.
 *
 * ```
 *              0         10        20
 * source       --a--b-L----c----------d---|     L: Left
 * candles(10)  -------L--x---------y------|     x: a and b, from 0 to 10; y: c, from 10 to 20
 * ```
 *
 * - The arrival of a price decides its window. A price that arrives at `to` belongs to the next window.
 * - A `Left` is emitted immediately and does not change the prices of the candle: candles record past prices.
 * - `isCurrent` is false if a `Left` came after the last price of the candle. A strategy must not take its `close` for
 *   the current price: `a b L` and `a L b` differ in nothing else.
 * - `interruptions` shows that a candle is not complete. It counts each `Left`, and each price whose `epoch` differs
 *   from that of the previous price. An interruption in a window without a price counts once, in the next candle. A
 *   `Stale` without a new epoch counts only in the candle with the `Left`.
 * - The first candle contains only prices since the subscription. Completion drops the candle of an open window.
 * - If the clock is set back to a time before the window, the window closes.
 *
 * With `past$`, the candles of the past come first, then the candles of live prices. Each window comes once: the window
 * in which the past ends contains past and live prices. The `at` of a past price decides its window. Each gap of the
 * past is an interruption of the candle in which it starts, or of the next candle. As in `withPast`, live events are
 * held until the past has ended, for at most `pastTimeout` ms, and no price is missing between `price$` and the
 * past of a history. A price that is in both counts once. An error of the past is a `Left` and an interruption.
 *
 * @param ms length of a window, in ms: 1 to 2147483647. Any other value throws a `ConfigurationError`.
 *
 * @example
 * client.price$(topic).pipe(candles(60_000)) // Observable<Either<PriceError, Candle>>
 */
export function candles<E>(ms: number): EitherOperator<E, Priced, Either<E, Candle>>
export function candles<E>(
  ms: number,
  options: CandlesOptions,
): EitherOperator<E, Priced, Either<E | HistoryError, Candle>>
export function candles<E>(
  ms: number,
  options: CandlesOptions = {},
): EitherOperator<E, Priced, Either<E | HistoryError, Candle>> {
  checkTimerMs('candles', ms, 1)
  const { past$, pastTimeout } = parseOptions(optionTable, options, { allowsUndefined: true })
  return (source$) =>
    new Observable((subscriber) => {
      const chart = new CandlesSubscriber<E>(subscriber, ms)
      if (past$ === undefined) return chart.subscribeTo(source$)
      return joinPast(past$, pastTimeout, source$, subscriber, chart)
    })
}

const optionTable = {
  past$: checkedOption<PastStream>('object', { expected: 'an observable', holds: isObservable }),
  pastTimeout: pastTimeoutOption,
} satisfies OptionTable<CandlesOptions>

class CandlesSubscriber<E>
  extends OperatorSubscriber<Either<E, Priced>, Either<E | HistoryError, Candle>>
  implements JoinObserver<Either<E, Priced>>
{
  private readonly chart: CandleChart
  /** True while held events are added: they need no timers, because no time passes. */
  private isReleasing = false

  constructor(subscriber: Subscriber<Either<E | HistoryError, Candle>>, ms: number) {
    super(subscriber)
    this.chart = new CandleChart(ms)
  }

  protected onEvent(event: Either<E, Priced>): void {
    this.onLive(event, rxClock.wallClock())
  }

  onLive(event: Either<E, Priced>, now: number): void {
    const closed = this.chart.closeIfEnded(now)
    // The chart is changed first, because a handler may cause further events.
    if (isLeft(event)) {
      this.chart.interrupt()
      this.emit(closed)
      this.subscriber.next(event)
    } else {
      const opensWindow = this.chart.add(event.right, now)
      const { to } = this.chart
      this.emit(closed)
      if (opensWindow && !this.isReleasing) this.closeLater(to, now)
    }
  }

  onPast(event: Either<HistoryError, PastEvent>, at: number): void {
    const closed = this.chart.closeIfEnded(at)
    if (isLeft(event) || event.right._tag === 'Gap') this.chart.interrupt()
    else this.chart.add(event.right, at)
    this.emit(closed)
    if (isLeft(event)) this.subscriber.next(event)
  }

  onCaughtUp(releaseLive: () => void): void {
    this.isReleasing = true
    releaseLive()
    this.isReleasing = false
    const now = rxClock.wallClock()
    const closed = this.chart.closeIfEnded(now)
    if (this.chart.isOpen) this.closeLater(this.chart.to, now)
    this.emit(closed)
  }

  onComplete(): void {
    this.emit(this.chart.closeIfEnded(rxClock.wallClock()))
    this.subscriber.complete()
  }

  /**
   * The clock decides the window of a price. By this clock, a timer may fire a millisecond early; it is then restarted.
   */
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
