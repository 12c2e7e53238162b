import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import {
  asyncScheduler,
  concat,
  defer,
  EMPTY,
  endWith,
  mergeMap,
  takeWhile,
  timer,
  type Observable,
  type OperatorFunction,
} from 'rxjs'
import type { Price } from '../domain/price.js'
import { ConfigurationError } from '../errors/configuration-error.js'
import { checkTimerMs } from './check-ms.js'

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
 * - A `Left` is emitted immediately and does not change the candle: candles record past prices.
 * - The first candle contains only prices since the subscription. Completion drops the candle of an open window.
 * - If the clock is set back to a time before the window, the window closes.
 *
 * @param ms length of a window, in ms: above 0, at most 2147483647. Any other value throws a `ConfigurationError`.
 *
 * @example
 * client.price$(topic).pipe(candles(60_000)) // Observable<Either<PriceError, Candle>>
 */
export const candles = <E>(
  ms: number,
): OperatorFunction<Either<E, Pick<Price, 'price'>>, Either<E, Candle>> => {
  checkTimerMs('candles', ms)
  if (ms === 0) throw new ConfigurationError('ms', 'candles needs windows longer than 0 ms')
  return (source$) =>
    defer(() => {
      const chart = createChart(ms)
      return source$.pipe(
        // Completion becomes an event, so that it closes a window that has ended but whose timer is late.
        endWith(undefined),
        mergeMap((event) => {
          const closed = chart.close()
          if (event === undefined) return [...closed, undefined]
          if (isLeft(event)) return [...closed, event]
          const next$ = chart.add$(event.right.price)
          return closed.length === 0 ? next$ : concat(closed, next$)
        }),
        takeWhile((out) => out !== undefined),
      )
    })
}

const createChart = (ms: number) => {
  let open: Candle | undefined

  const windowNow = (): number => Math.floor(asyncScheduler.now() / ms)

  const hasEnded = ({ from }: Candle): boolean => windowNow() * ms !== from

  const close = (): readonly Either<never, Candle>[] => {
    if (open === undefined || !hasEnded(open)) return []
    const closed = open
    open = undefined
    return [right(closed)]
  }

  // The clock decides the window of a price. A timer may fire a millisecond early by that clock, and is then restarted.
  const closeLater$ = ({ from, to }: Candle): Observable<Either<never, Candle>> =>
    timer(Math.max(1, to - asyncScheduler.now())).pipe(
      mergeMap(() => (open?.from === from && !hasEnded(open) ? closeLater$(open) : close())),
    )

  /** Adds a price. If it opens a window, emits the candle of that window when it closes. */
  const add$ = (price: number): Observable<Either<never, Candle>> => {
    if (open !== undefined) {
      open = extend(open, price)
      return EMPTY
    }
    open = candleOf(price, windowNow(), ms)
    return closeLater$(open)
  }

  return { add$, close }
}

const candleOf = (price: number, window: number, ms: number): Candle => ({
  open: price,
  high: price,
  low: price,
  close: price,
  count: 1,
  from: window * ms,
  to: (window + 1) * ms,
})

const extend = (candle: Candle, price: number): Candle => ({
  ...candle,
  high: Math.max(candle.high, price),
  low: Math.min(candle.low, price),
  close: price,
  count: candle.count + 1,
})
