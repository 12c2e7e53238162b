import { compareTicks, type MarketRow, type Series, type Tick } from './market-row.js'
import { PriorityQueue } from '../recording/read/priority-queue.js'

// A candle gives its open at its start and its close at its end. The times of its high and its low are not known.

/** The length of candles: in ms, or in months of the calendar (UTC). */
export type CandleInterval = { readonly ms: number } | { readonly months: number }

/**
 * The end of a candle: `interval` after its start, if that is given; else the end that its row has, and if that is the last moment
 * of the candle, the ms after it; else the next start, if that is between 0.5 and 1.5 of the usual distance; else the usual distance
 * later. `next`: the next start of its token, if there is one.
 */
export const endOf = (
  { at, candle, series }: MarketRow,
  next: number | undefined,
  interval: CandleInterval | undefined,
): number => {
  if (interval !== undefined) return 'ms' in interval ? at + interval.ms : monthsLater(at, interval.months)
  const usual = series.starts.usual ?? Infinity
  const closeTime = candle?.closeTime
  if (closeTime !== undefined)
    return closeTime === next || closeTime === at + usual ? closeTime : closeTime + 1
  return next !== undefined && isUsual(next - at, usual) ? next : at + usual
}

const isUsual = (distance: number, usual: number): boolean =>
  distance >= usual * 0.5 && distance <= usual * 1.5

const monthsLater = (at: number, months: number): number => {
  const date = new Date(at)
  return date.setUTCMonth(date.getUTCMonth() + months)
}

/** The prices of candles that are in order, piece by piece: of one time, closes come first. */
export async function* candleTicks(
  pieces: AsyncIterable<readonly MarketRow[]>,
  interval: CandleInterval | undefined,
): AsyncGenerator<readonly Tick[]> {
  const waiting = new PriorityQueue<Tick & { readonly number: number }>(
    (a, b) => compareTicks(a, b) || a.number - b.number,
  )
  /** The last candle of each token, whose end is not known yet. */
  const open = new Map<Series, MarketRow>()
  let number = 0
  const add = (at: number, { token }: MarketRow, price: number, isClose: boolean): void =>
    waiting.push({ at, token, price, isClose, number: number++ })
  const close = (row: MarketRow, next: number | undefined): void => {
    open.delete(row.series)
    add(endOf(row, next, interval), row, row.candle?.close ?? row.price, true)
  }
  function* until(at: number): Generator<Tick> {
    for (let first = waiting.peek(); first !== undefined && first.at < at; first = waiting.peek()) {
      waiting.pop()
      yield first
    }
  }
  let time = -Infinity
  for await (const rows of pieces) {
    const ticks: Tick[] = []
    for (const row of rows) {
      const { at, series } = row
      const previous = open.get(series)
      if (previous !== undefined) close(previous, at)
      if (at > time) {
        time = at
        let horizon = at
        for (const each of open.values()) {
          // Its next start would be too late for its end.
          if (latestEnd(each) < at) close(each, undefined)
          else horizon = Math.min(horizon, each.at)
        }
        ticks.push(...until(horizon))
      }
      add(at, row, row.price, false)
      open.set(series, row)
    }
    yield ticks
  }
  for (const each of open.values()) close(each, undefined)
  yield [...until(Infinity)]
}

/** Without `--interval`, a later start does not decide the end of a candle. */
const latestEnd = ({ at, candle, series }: MarketRow): number =>
  candle?.closeTime ?? at + (series.starts.usual ?? Infinity) * 1.5
