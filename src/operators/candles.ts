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
import { checkWait } from './checked-ms.js'

/** The prices of one window, `from` included, `to` not. */
export interface Candle {
  /** The first price, in USD. */
  readonly open: number
  readonly high: number
  readonly low: number
  /** The last price, in USD. */
  readonly close: number
  /** How many prices, 1 or more. */
  readonly count: number
  /** Where the window begins, in ms of Rx time (since the Unix epoch): a multiple of its length. */
  readonly from: number
  /** Where the next window begins. */
  readonly to: number
}

/**
 * Open, high, low and close of the prices in windows of `ms` milliseconds, aligned to multiples of `ms`. Each
 * candle is given when its window closes; a window without a price gives none. Takes whatever has a `price`.
 *
 * ```
 *              0         10        20
 * source       --a--b-L----c----------d---|     L: Left
 * candles(10)  -------L--x---------y------|     x: a and b, from 0 to 10; y: c, from 10 to 20
 * ```
 *
 * - A price counts where it arrives: at `to` it is the next window's.
 * - A `Left` passes at once and leaves the candle as it is: a candle is what was seen, not what is current.
 * - The first window is seen from subscription on. One that is open at completion has not closed: no candle.
 * - Should the clock be set back out of a window, that window closes.
 *
 * @param ms the length of a window, in ms, above 0, 2147483647 at most. Anything else throws a
 *   `ConfigurationError`.
 *
 * @example
 * client.price$(topic).pipe(candles(60_000)) // Observable<Either<PriceError, Candle>>
 */
export const candles = <E>(
  ms: number,
): OperatorFunction<Either<E, Pick<Price, 'price'>>, Either<E, Candle>> => {
  checkWait('candles', ms)
  if (ms === 0) throw new ConfigurationError('ms', 'candles needs windows longer than 0 ms')
  return (source$) =>
    defer(() => {
      const chart = createChart(ms)
      return source$.pipe(
        // The end is an event like any other: a window may be over by then, and its timer late.
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

  const isOver = ({ from }: Candle): boolean => windowNow() * ms !== from

  const close = (): readonly Either<never, Candle>[] => {
    if (open === undefined || !isOver(open)) return []
    const closed = open
    open = undefined
    return [right(closed)]
  }

  // A timer may fire a millisecond before the clock says so. It then waits again: prices are sorted by the clock.
  const closeLater$ = ({ from, to }: Candle): Observable<Either<never, Candle>> =>
    timer(Math.max(1, to - asyncScheduler.now())).pipe(
      mergeMap(() => (open?.from === from && !isOver(open) ? closeLater$(open) : close())),
    )

  /** Gives the candle, when it closes, of the window that this price begins; nothing if it begins none. */
  const add$ = (price: number): Observable<Either<never, Candle>> => {
    if (open !== undefined) {
      open = extended(open, price)
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

const extended = (candle: Candle, price: number): Candle => ({
  ...candle,
  high: Math.max(candle.high, price),
  low: Math.min(candle.low, price),
  close: price,
  count: candle.count + 1,
})
