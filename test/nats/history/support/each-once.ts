import type { PastEvent } from 'svc-streams/history'
import { expect } from 'vitest'
import { gapsOf, pricesOf } from './stored-history.js'

/** The price that is current at a connection to the service may be that of before the gap. */
const pricesAfterSeams = (events: readonly PastEvent[]): readonly number[] =>
  pricesOf(
    events.filter((event, index) => {
      const before = pricesOf(events.slice(0, index)).at(-1)
      return !(events[index - 1]?._tag === 'Gap' && event._tag === 'PastPrice' && event.price === before)
    }),
  )

/** Each price of the market is in the history at most once, in order, and outside of gaps none is missing. */
export const expectEachOnce = (events: readonly PastEvent[], market: readonly number[]): void => {
  const prices = pricesAfterSeams(events)
  expect(prices).toEqual([...new Set(prices)].sort((a, b) => a - b))
  // Outside of gaps no price is missing.
  const times = gapsOf(events)
  const isInGap = (price: number) => times.some(({ from, to }) => price >= from - 250 && price <= to)
  const [first = 0] = prices
  const last = prices.at(-1) ?? 0
  const expected = market.filter((price) => price >= first && price <= last && !isInGap(price))
  expect(expected.filter((price) => !prices.includes(price))).toEqual([])
}
