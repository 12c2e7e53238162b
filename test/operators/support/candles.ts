import { right, type Either } from 'fp-ts/lib/Either.js'
import type { Candle } from '../../../src/operators/index.js'

/** Candles with windows of `length` ms, each of its prices. */
export const candlesOf =
  (length: number) =>
  (prices: readonly number[], from: number, interruptions = 0, isCurrent = true): Either<never, Candle> =>
    right({
      isCurrent,
      open: prices[0]!,
      high: Math.max(...prices),
      low: Math.min(...prices),
      close: prices.at(-1)!,
      count: prices.length,
      interruptions,
      from,
      to: from + length,
    })
