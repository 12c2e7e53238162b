import { compareTicks, type CandleStarts, type MarketRow, type Tick } from './market-row.js'

// A candle gives its open at its start and its close at its end. The times of its high and its low are not known.

/** Finds the next start of each candle. `rows`: those of a token, in order. */
export const startsOf = (rows: readonly MarketRow[]): CandleStarts => {
  const counts = new Map<number, number>()
  let different: number | undefined
  for (const [index, { at, candle }] of rows.entries()) {
    const next = rows[index + 1]
    if (candle === undefined) continue
    candle.next = next?.at
    const distance = next === undefined ? 0 : next.at - at
    if (distance > 0) counts.set(distance, (counts.get(distance) ?? 0) + 1)
    else if (next?.candle?.prices.some((price, of) => price !== candle.prices[of]) === true) different ??= at
  }
  const distances = [...counts].sort(([a, one], [b, two]) => two - one || a - b)
  const usual = distances[0]?.[0]
  const odd = distances.reduce((sum, [each, count]) => sum + (each % (usual ?? 1) === 0 ? 0 : count), 0)
  return { usual, odd, different }
}

/** The length of candles: in ms, or in months of the calendar (UTC). */
export type CandleInterval = { readonly ms: number } | { readonly months: number }

/** The prices of candles that are in order: of one time, closes come first. */
export const candleTicks = (
  rows: readonly MarketRow[],
  interval: CandleInterval | undefined,
): readonly Tick[] =>
  rows
    .flatMap((row): readonly Tick[] => {
      const { at, token, price, candle } = row
      const close = { at: endOf(row, interval), token, price: candle?.prices.at(-1) ?? price, isClose: true }
      return [{ at, token, price }, close]
    })
    .sort(compareTicks)

/**
 * The end of a candle: `interval` after its start, if that is given; else the close time of its row, if that is after its start, and the end of the candle if
 * that is its last ms or second; else the next start, if that is between 0.5 and 1.5 of the usual distance; else the usual distance
 * later.
 */
const endOf = ({ at, candle, series }: MarketRow, interval: CandleInterval | undefined): number => {
  if (interval !== undefined) return 'ms' in interval ? at + interval.ms : monthsLater(at, interval.months)
  const { next = NaN, closeTime = NaN } = candle ?? {}
  const { usual = Infinity } = series.starts
  if (closeTime > at) {
    const isLastSecond = (end: number): boolean => closeTime <= end && end - closeTime <= 1000
    return [next, at + usual].find(isLastSecond) ?? closeTime + 1
  }
  const distance = next - at
  return distance >= usual * 0.5 && distance <= usual * 1.5 ? at + distance : at + usual
}

const monthsLater = (at: number, months: number): number => {
  const date = new Date(at)
  const day = date.getUTCDate()
  const end = date.setUTCMonth(date.getUTCMonth() + months)
  // A day that the month does not have is its last one.
  return date.getUTCDate() === day ? end : date.setUTCDate(0)
}
