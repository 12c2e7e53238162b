import { right, type Either } from 'fp-ts/lib/Either.js'
import { asyncScheduler, EMPTY, mergeMap, timer, type Observable } from 'rxjs'
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
   * Number of `Left`s and of changes of `epoch` since the end of the previous candle, or since the subscription: those in
   * this window, and those in windows without a price before it. If it is not 0, prices may be missing.
   */
  readonly interruptions: number
  /** Start of the window, in ms of Rx time (since the Unix epoch): a multiple of its length. */
  readonly from: number
  /** End of the window, in ms of Rx time. */
  readonly to: number
}

/** The prices of one window. */
type Window = Omit<Candle, 'interruptions'>

/** State of `candles`: at most one open window. */
export const createCandleChart = (ms: number) => {
  let open: Window | undefined
  let lastEpoch: number | undefined
  /** Since the previous candle closed. */
  let interruptions = 0

  const windowNow = (): number => Math.floor(asyncScheduler.now() / ms)

  const hasEnded = ({ from }: Window): boolean => windowNow() * ms !== from

  /** The candle of a window that has ended. */
  const close = (): readonly Either<never, Candle>[] => {
    if (open === undefined || !hasEnded(open)) return []
    const closed = right({ ...open, interruptions })
    open = undefined
    interruptions = 0
    return [closed]
  }

  // The clock decides the window of a price. A timer may fire a millisecond early by that clock, and is then restarted.
  const closeLater$ = ({ from, to }: Window): Observable<Either<never, Candle>> =>
    timer(Math.max(1, to - asyncScheduler.now())).pipe(
      mergeMap(() => (open?.from === from && !hasEnded(open) ? closeLater$(open) : close())),
    )

  const interrupt = (): void => {
    interruptions += 1
  }

  /** Adds a price. If it opens a window, emits the candle of that window when it closes. */
  const add$ = (value: Pick<Price, 'price'>): Observable<Either<never, Candle>> => {
    const { price } = value
    const epoch = epochOf(value) ?? lastEpoch
    if (lastEpoch !== undefined && epoch !== lastEpoch) interrupt()
    lastEpoch = epoch
    if (open !== undefined) {
      open = extend(open, price)
      return EMPTY
    }
    open = windowOf(price, windowNow(), ms)
    return closeLater$(open)
  }

  return { add$, close, interrupt }
}

const epochOf = (value: object): number | undefined =>
  'epoch' in value && typeof value.epoch === 'number' ? value.epoch : undefined

const windowOf = (price: number, window: number, ms: number): Window => ({
  open: price,
  high: price,
  low: price,
  close: price,
  count: 1,
  from: window * ms,
  to: (window + 1) * ms,
})

const extend = (window: Window, price: number): Window => ({
  ...window,
  high: Math.max(window.high, price),
  low: Math.min(window.low, price),
  close: price,
  count: window.count + 1,
})
