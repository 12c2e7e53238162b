import { readFileSync } from 'node:fs'
import { recordedMarket, type Quote } from 'svc-streams/simulator'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { bitcoin, ether } from '../support/manual-market.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const file = readFileSync(new URL('../../../examples/data/top-of-book.csv', import.meta.url), 'utf8')
const [header, ...lines] = file.trimEnd().split('\n')
const rows = lines.map((line) => line.split(','))

/** Hundredths of a dollar: all the file's prices are whole numbers of them. */
const cents = (usd = '') => Math.round(Number(usd) * 100)

const play = (ms: number, speed = 1): readonly Quote[] => {
  const seen: Quote[] = []
  const end = recordedMarket({ speed }).open((quote) => seen.push(quote))
  vi.advanceTimersByTime(ms)
  end()
  return seen
}

test('the recording is whole: its columns, both tokens, in order of time, bid below ask, each midpoint new', () => {
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

test('it plays every row in order, at the midpoint, with the quantities of the book in units', () => {
  const seen = play(305_000).slice(2, 2 + rows.length)
  const expected = rows.map(([, token, bid, bidQuantity, ask, askQuantity]) => {
    const [address, decimals] = token === 'ETH' ? ([ether, 18] as const) : ([bitcoin, 8] as const)
    // The file has at most five digits behind the point.
    const units = (tokens = '') => BigInt(Math.round(Number(tokens) * 1e5)) * 10n ** BigInt(decimals - 5)
    const price = (cents(bid) + cents(ask)) / 200
    return { token: address, price, buy: units(askQuantity), sell: units(bidQuantity) }
  })
  expect(seen).toEqual(expected)
})

test('both tokens have a quote at once', () => {
  expect(play(0).map(({ token, price }) => [token, price])).toEqual([
    [ether, 2682.505],
    [bitcoin, 61685.995],
  ])
})

test('it keeps its own pace: a row is there when its time has come, and not before', () => {
  const start = Number(rows[0]?.[0])
  const after = (ms: number) => rows.filter(([time]) => Number(time) - start <= ms).length
  for (const ms of [1000, 20_000, 123_456]) {
    const played = play(ms).length - 2
    expect(played).toBeGreaterThanOrEqual(after(ms - 3))
    expect(played).toBeLessThanOrEqual(after(ms))
  }
})

test('so many times faster, and from the beginning again when it has ended', () => {
  const length = Number(rows.at(-1)?.[0]) - Number(rows[0]?.[0])
  const seen = play((length * 2.5) / 100, 100).slice(2)
  expect(seen.length).toBeGreaterThan(2 * rows.length)
  expect(seen.slice(rows.length, 2 * rows.length)).toEqual(seen.slice(0, rows.length))
})

test('a machine that slept goes on where it stood', () => {
  const seen: Quote[] = []
  const end = recordedMarket().open((quote) => seen.push(quote))
  vi.advanceTimersByTime(1000)
  const before = seen.length
  const wokeUp = performance.now() + 8 * 3600 * 1000
  const clock = vi.spyOn(performance, 'now').mockReturnValue(wokeUp)
  vi.advanceTimersToNextTimer()
  expect(seen.length - before).toBeLessThan(5)
  clock.mockRestore()
  end()
  expect(vi.getTimerCount()).toBe(0)
})

test('however slow, it does not spin', () => {
  const end = recordedMarket({ speed: 1e-9 }).open(() => undefined)
  vi.advanceTimersByTime(1)
  const before = performance.now()
  vi.advanceTimersToNextTimer()
  expect(performance.now() - before).toBe(60_000)
  end()
})

test('a bad speed is refused', () => {
  for (const speed of [0, -1, 1001, NaN, '2']) {
    expect(() => recordedMarket({ speed: speed as number })).toThrow(
      'speed: expected a number above 0 and at most 1000',
    )
  }
})
