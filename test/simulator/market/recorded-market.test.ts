import { readFileSync } from 'node:fs'
import { recordedMarket, type Quote } from 'svc-streams/simulator'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { wbtc, weth } from '../../support/tokens.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const file = readFileSync(new URL('../../../examples/data/top-of-book.csv', import.meta.url), 'utf8')
const [header, ...lines] = file.trimEnd().split('\n')
const rows = lines.map((line) => line.split(','))

/** US cents: all prices of the file are whole cents. */
const cents = (usd = '') => Math.round(Number(usd) * 100)

const play = (ms: number, speed = 1): readonly Quote[] => {
  const seen: Quote[] = []
  const stop = recordedMarket({ speed }).open((quote) => seen.push(quote))
  vi.advanceTimersByTime(ms)
  stop()
  return seen
}

test('the recording has its columns, both tokens, ascending times, bids below asks, and changing midpoints', () => {
  expect(header).toBe('time_ms,token,bid,bid_quantity,ask,ask_quantity')
  expect(rows).toHaveLength(964)
  const last: Record<string, number> = {}
  let time = 0
  for (const [at, token = '', bid, bidQuantity, ask, askQuantity] of rows) {
    expect(['ETH', 'BTC']).toContain(token)
    expect(Number(at)).toBeGreaterThanOrEqual(time)
    time = Number(at)
    expect(cents(bid)).toBeLessThan(cents(ask))
    expect(Number(bidQuantity)).toBeGreaterThan(0)
    expect(Number(askQuantity)).toBeGreaterThan(0)
    expect(cents(bid) + cents(ask)).not.toBe(last[token])
    last[token] = cents(bid) + cents(ask)
  }
  expect(new Date(Number(rows[0]?.[0])).toISOString()).toBe('2024-08-09T00:00:00.002Z')
})

test('recordedMarket plays every row in order, with midpoint and quantities in units', () => {
  const seen = play(305_000).slice(2, 2 + rows.length)
  const expected = rows.map(([, token, bid, bidQuantity, ask, askQuantity]) => {
    const [address, decimals] = token === 'ETH' ? ([weth, 18] as const) : ([wbtc, 8] as const)
    // The file has at most five decimal places.
    const units = (tokens = '') => BigInt(Math.round(Number(tokens) * 1e5)) * 10n ** BigInt(decimals - 5)
    const price = (cents(bid) + cents(ask)) / 200
    return { token: address, price, buy: units(askQuantity), sell: units(bidQuantity) }
  })
  expect(seen).toEqual(expected)
})

test('recordedMarket emits a quote of both tokens immediately', () => {
  expect(play(0).map(({ token, price }) => [token, price])).toEqual([
    [weth, 2682.505],
    [wbtc, 61685.995],
  ])
})

test('recordedMarket emits each row at its time', () => {
  const start = Number(rows[0]?.[0])
  const after = (ms: number) => rows.filter(([time]) => Number(time) - start <= ms).length
  for (const ms of [1000, 20_000, 123_456]) {
    const played = play(ms).length - 2
    expect(played).toBeGreaterThanOrEqual(after(ms - 3))
    expect(played).toBeLessThanOrEqual(after(ms))
  }
})

test('recordedMarket plays at the given speed, in a loop', () => {
  const length = Number(rows.at(-1)?.[0]) - Number(rows[0]?.[0])
  const seen = play((length * 2.5) / 100, 100).slice(2)
  expect(seen.length).toBeGreaterThan(2 * rows.length)
  expect(seen.slice(rows.length, 2 * rows.length)).toEqual(seen.slice(0, rows.length))
})

test('recordedMarket limits its timer delay at low speed and does not spin', () => {
  const stop = recordedMarket({ speed: 1e-9 }).open(() => undefined)
  vi.advanceTimersByTime(1)
  const before = performance.now()
  vi.advanceTimersToNextTimer()
  expect(performance.now() - before).toBe(60_000)
  stop()
})

test('recordedMarket rejects an invalid speed', () => {
  for (const speed of [0, -1, 1001, NaN, '2']) {
    expect(() => recordedMarket({ speed: speed as number })).toThrow(
      'speed: expected a number above 0 and at most 1000',
    )
  }
})
