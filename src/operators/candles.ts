import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { Observable, Subscription, type Subscriber } from 'rxjs'
import type { PastEvent } from '../base/domain/past.js'
import { ConfigurationError } from '../base/errors/configuration-error.js'
import type { HistoryError } from '../base/errors/model.js'
import { timerMsFrom } from '../base/option-kinds/number-option.js'
import { flagOption, type OptionTable } from '../base/option-kinds/option.js'
import { checkValue, parseOptions, shown } from '../base/option-kinds/parse-options.js'
import { maxBlockedMs, rxClock } from '../base/time/clock.js'
import { windowTimeOf } from './data-window.js'
import { CandleChart, type Candle } from './candle-chart.js'
import { whileOpen, type EitherOperator } from './either.js'
import { maxLateMs } from '../base/time/timers.js'
import type { TopicPast } from './missing-prices.js'
import { PastJoin, type JoinObserver } from './past-join.js'
import {
  joinConfig,
  joinOptionTable,
  pastOption,
  topicPastOption,
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
  /**
   * A topic of a history, instead of `past$`: for its past from `from` on, and for `refill`. Default: none.
   *
   * @example
   * import { openHistory } from 'svc-streams/history'
   * const past = { history: openHistory('http://127.0.0.1:8080'), topic }
   * client.price$(topic).pipe(candles(60_000, { past, refill: true }))
   */
  readonly past?: TopicPast
  /**
   * True: a window without a price, in which the source was current throughout, has a candle with `count` 0 and the last
   * close as all four prices. Default: false, such a window has no candle. More than 1000 such windows at once are an
   * interruption and have no candles.
   */
  readonly fill?: boolean
}

/** A value with a current price. Excludes past prices, because the arrival of a value decides its window. */
export interface Priced {
  readonly price: number
  readonly _tag?: never
}

/** The source emits `Either`s, or plain prices such as those of `rights`. A method, as in `EitherOperator`. */
type CandlesOperator<E> = {
  operator$(source$: Observable<Either<E, Priced> | Priced>): Observable<Either<E, Candle>>
}['operator$']

/**
 * Emits open, high, low and close of the prices in windows of `ms` milliseconds, aligned to multiples of `ms`. Each candle is
 * emitted when its window closes; a window without a price has no candle. Accepts all values with a `price`, except past prices.
 *
 * ```
 *              0         10        20
 * source       --a--b-L----c----------d---|     L: Left
 * candles(10)  -------L--x---------y------|     x: a and b, from 0 to 10; y: c, from 10 to 20
 * ```
 *
 * - The `receivedAt` of a value decides its window; its arrival, if it has none or was held. A price of `to` belongs to
 *   the next window, and the candle comes before it. A price that was received before `to` belongs to the window also if it
 *   arrives in the millisecond of `to`: the candle comes after this millisecond, 1 ms later except in marble tests. So a live
 *   run and the replay of its recording have the same candles.
 * - A `Left` is emitted immediately and does not change the prices of the candle: candles record past prices.
 * - `isCurrent` is false if a `Left` came after the last price of the candle. A strategy must not take its `close` for
 *   the current price: `a b L` and `a L b` differ in nothing else. After an event loop that was blocked for more than
 *   500 ms, the source emits first: a `Left` then ends the candle too.
 * - `interruptions` shows that a candle is not complete. It counts each `Left`, and each price whose `epoch` differs
 *   from that of the previous price. An interruption in a window without a price counts once, in the next candle. A
 *   `Stale` without a new epoch counts only in the candle with the `Left`.
 * - With `fill: true`, a quiet window has a candle too, unless the source was interrupted. Without it, equal numbers of
 *   candles may be different times. After a pause of the process of more than a minute, the candle is not current, and no
 *   window is filled until the next price. The same applies to more than 1000 windows between two prices of a past, which are
 *   also an interruption.
 *
 * ```
 *                             0         10        20        30        40
 * source                      --a-----------------------L-----b--------
 * candles(10, { fill: true }) ----------x---------f-----L-------------y     f: count 0, all prices a
 * ```
 *
 * - A plain price, without `Right`, is accepted too. Its candle has `isCurrent: false`, and no quiet window is filled, because
 *   `rights` drops the `Left` that would end it.
 * - The first candle contains only prices since the subscription. Completion drops the candle of an open window.
 * - If the clock is set back to a time before the window, the window closes.
 *
 * With `past$`, the candles of the past come first, then the candles of live prices. Each window comes once: the window
 * in which the past ends contains past and live prices. The `at` of a past price decides its window. Each gap of the
 * past is an interruption of the candle in which it starts, or of the next candle. As in `withPast`, live events are
 * held until the past has ended, for at most `pastTimeout` ms, and no price is missing between `price$` and the
 * past of a history. A price that is in both counts once. An error of the past is a `Left` and an interruption.
 *
 * With `past` and `refill: true`, candles contain what an interruption of the live stream has left out. A `Left` is emitted at
 * once. The window then stays open until the missing prices are read after the next live price, so its candle is late, and has no
 * interruption unless there is a gap. If the stream completes meanwhile, the interruption counts.
 *
 * @param ms length of a window, in ms: 1 to 2147483647. Any other value throws a `ConfigurationError`.
 *
 * @example
 * client.price$(topic).pipe(candles(60_000)) // Observable<Either<PriceError, Candle>>
 */
export function candles<E = never>(
  ms: number,
  options?: Pick<CandlesOptions, 'fill'> & { readonly past$?: never; readonly past?: never },
): CandlesOperator<E>
export function candles<E>(
  ms: number,
  options: CandlesOptions,
): EitherOperator<E, Priced, Either<E | HistoryError, Candle>>
export function candles<E>(
  ms: number,
  options: CandlesOptions = {},
): EitherOperator<E, Priced, Either<E | HistoryError, Candle>> {
  checkValue('ms', ms, timerMsFrom(1), shown)
  const { past$, past = past$, fill, ...given } = parseOptions(optionTable, options, shown)
  if (past$ !== undefined && past !== past$) throw new ConfigurationError('past', 'excludes past$')
  if (past === undefined && given.refill) throw new ConfigurationError('refill', 'requires past')
  const config = past && joinConfig(past, given)
  return (source$) =>
    new Observable((subscriber) => {
      const startedAt = config === undefined ? rxClock.wallClock() : -Infinity
      const candles = new Candles<E>(subscriber, new CandleChart(ms, startedAt, fill))
      if (config !== undefined) return new PastJoin(config, source$, subscriber, candles).start()
      return source$.pipe(whileOpen(subscriber)).subscribe({
        next: (event) => candles.onEvent(event),
        error: (thrown) => subscriber.error(thrown),
        complete: () => candles.onComplete(),
      })
    })
}

const optionTable = {
  past$: pastOption,
  past: topicPastOption,
  fill: flagOption(false),
  ...joinOptionTable,
} satisfies OptionTable<CandlesOptions>

class Candles<E> implements JoinObserver<Either<E, Priced>> {
  /** The timer for the end of the window, if the window has a candle. */
  private timer = Subscription.EMPTY
  /** True after an interruption whose missing prices are not read yet: no window ends. */
  private isInterrupted = false

  constructor(
    private readonly subscriber: Subscriber<Either<E | HistoryError, Candle>>,
    private readonly chart: CandleChart,
  ) {}

  onEvent(event: Either<E, Priced> | Priced): void {
    const isPlain = event._tag === undefined
    const either = isPlain ? right(event) : event
    this.onLive(either, windowTimeOf(either), false)
    if (isPlain) this.chart.lose()
  }

  /** A held event needs no timer: one starts after all of them. */
  onLive(event: Either<E, Priced>, time: number, isHeld: boolean): void {
    const { chart } = this
    const now = rxClock.wallClock()
    const wasOpen = chart.isOpen
    const maxPause = isLeft(event) ? maxLateMs : maxBlockedMs
    const closed = isHeld ? chart.moveInPast(time) : chart.move(time, now, maxPause)
    // The chart is changed first, because a handler may cause further events.
    if (isLeft(event)) chart.interrupt()
    else chart.add(event.right)
    const needsTimer = closed.length > 0 || chart.isOpen !== wasOpen
    this.emit(closed)
    if (isLeft(event)) this.subscriber.next(event)
    if (needsTimer && !isHeld) this.startTimer()
  }

  onPast(event: Either<HistoryError, PastEvent>, at: number): void {
    const closed = this.chart.moveInPast(at)
    if (isLeft(event) || event.right._tag === 'Gap') this.chart.interrupt()
    else this.chart.add(event.right)
    this.emit(closed)
    if (isLeft(event)) this.subscriber.next(event)
  }

  onReleased(hasLive: boolean): void {
    if (this.isInterrupted) return
    const now = rxClock.wallClock()
    const closed = this.chart.move(now, now, Infinity)
    if (!hasLive) this.chart.lose()
    this.emit(closed)
    this.startTimer()
  }

  onInterruption(event?: Either<E, Priced>): void {
    this.timer.unsubscribe()
    this.isInterrupted = true
    if (event !== undefined && isLeft(event)) this.subscriber.next(event)
  }

  onRefilled(): void {
    this.isInterrupted = false
    this.chart.continue()
  }

  onComplete(): void {
    if (this.isInterrupted) this.chart.interrupt()
    const now = rxClock.wallClock()
    this.emit(this.chart.move(now, now, maxBlockedMs))
    this.subscriber.complete()
  }

  private startTimer(): void {
    this.timer.unsubscribe()
    if (!this.chart.isOpen || this.subscriber.closed || this.isInterrupted) return
    this.timer = this.chart.window.startTimer((time) => {
      this.emit(this.chart.move(time, rxClock.wallClock(), maxBlockedMs))
      this.startTimer()
    })
    this.subscriber.add(this.timer)
  }

  private emit(closed: readonly Candle[]): void {
    for (const candle of closed) this.subscriber.next(right(candle))
  }
}
