import { compareTicks, type MarketRow, type Series, type Tick } from './market-row.js'

// A candle gives its open at its start and its close at its end. The times of its high and its low are not known.

/** The length of candles: in ms, or in months of the calendar (UTC). */
export type CandleInterval = { readonly ms: number } | { readonly months: number }

/**
 * The end of a candle: `interval` after its start, if that is given; else the close time of its row, if that is after its start, and the end of the candle if
 * that is its last ms or second; else the next start, if that is between 0.5 and 1.5 of the usual distance; else the usual distance
 * later. `next`: the next start of its token, if there is one.
 */
const endOf = (
  { at, candle, series }: MarketRow,
  next: number | undefined,
  interval: CandleInterval | undefined,
): number => {
  if (interval !== undefined) return 'ms' in interval ? at + interval.ms : monthsLater(at, interval.months)
  const usual = series.starts.usual ?? Infinity
  const closeTime = candle?.closeTime ?? NaN
  if (closeTime > at) {
    const isLastSecond = (end: number | undefined): end is number =>
      end !== undefined && closeTime <= end && end - closeTime <= 1000
    return [next, at + usual].find(isLastSecond) ?? closeTime + 1
  }
  return next !== undefined && isUsual(next - at, usual) ? next : at + usual
}

const isUsual = (distance: number, usual: number): boolean =>
  distance >= usual * 0.5 && distance <= usual * 1.5

const monthsLater = (at: number, months: number): number => {
  const date = new Date(at)
  return date.setUTCMonth(date.getUTCMonth() + months)
}

/** The prices of candles that are in order: of one time, closes come first. */
export const candleTicks = (
  candles: readonly MarketRow[],
  interval: CandleInterval | undefined,
): readonly Tick[] => {
  const ticks: Tick[] = []
  /** The last candle of each token, whose end is not known yet. */
  const open = new Map<Series, MarketRow>()
  const close = (row: MarketRow, next: number | undefined): void => {
    const { token, price, candle } = row
    ticks.push({ at: endOf(row, next, interval), token, price: candle?.close ?? price, isClose: true })
  }
  for (const row of candles) {
    const { at, token, price, series } = row
    const previous = open.get(series)
    if (previous !== undefined) close(previous, at)
    open.set(series, row)
    ticks.push({ at, token, price })
  }
  for (const row of open.values()) close(row, undefined)
  return ticks.sort(compareTicks)
}
