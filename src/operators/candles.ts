import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { concat, defer, endWith, mergeMap, takeWhile } from 'rxjs'
import type { Price } from '../domain/price.js'
import { createCandleChart, type Candle } from './candle-chart.js'
import { checkTimerMs } from './check-ms.js'
import type { EitherOperator } from './either/either-operator.js'

export type { Candle } from './candle-chart.js'

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
    defer(() => {
      const chart = createCandleChart(ms)
      return source$.pipe(
        // Completion becomes an event, so that it closes a window that has ended but whose timer is late.
        endWith(undefined),
        mergeMap((event) => {
          const closed = chart.close()
          if (event === undefined) return [...closed, undefined]
          if (isLeft(event)) {
            chart.interrupt()
            return [...closed, event]
          }
          const next$ = chart.add$(event.right)
          return closed.length === 0 ? next$ : concat(closed, next$)
        }),
        takeWhile((out) => out !== undefined),
      )
    })
}
