import fc from 'fast-check'
import { randomWalk, type Market, type Quote } from 'svc-streams/simulator'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The first quotes of each token. */
const quotes = (market: Market, steps: number, tick = 250): Readonly<Record<string, readonly Quote[]>> => {
  const all: Record<string, Quote[]> = {}
  const stop = market.open((quote) => (all[quote.token] ??= []).push(quote))
  vi.advanceTimersByTime(steps * tick)
  stop()
  return all
}

test('randomWalk gives the same prices for the same seed, and other prices for another seed', () => {
  const walk = (seed: number) => quotes(randomWalk({ tokens: ['0xab'], seed }), 100)
  expect(walk(7)).toEqual(walk(7))
  expect(walk(7)).not.toEqual(walk(8))
  expect(walk(7)['0xab']).toHaveLength(101)
})

test('randomWalk gives a token the same quotes for any other tokens and any tick', () => {
  const alone = quotes(randomWalk({ tokens: ['0xab'], seed: 3 }), 20)['0xab']
  const others = fc.uniqueArray(fc.integer({ min: 1, max: 100 }), { maxLength: 5 })
  fc.assert(
    fc.property(others, fc.integer({ min: 1, max: 10_000 }), (otherIds, tick) => {
      const tokens = [...otherIds.map((n): `0x${string}` => `0xcc${n}`), '0xAB' as const]
      expect(quotes(randomWalk({ tokens, seed: 3, tick }), 20, tick)['0xab']).toEqual(alone)
    }),
  )
})

test('randomWalk gives two tokens different prices', () => {
  const { '0xaa': a, '0xab': b } = quotes(randomWalk({ tokens: ['0xaa', '0xab'] }), 20)
  expect(a?.map(({ price }) => price)).not.toEqual(b?.map(({ price }) => price))
})

test('randomWalk emits the first quote immediately at the given price, then one per tick', () => {
  const seen: number[] = []
  const stop = randomWalk({ tokens: [{ address: '0xab', price: 12.5 }], tick: 100 }).open(({ price }) =>
    seen.push(price),
  )
  expect(seen).toEqual([12.5])
  vi.advanceTimersByTime(99)
  expect(seen).toHaveLength(1)
  vi.advanceTimersByTime(1)
  expect(seen).toHaveLength(2)
  stop()
  vi.advanceTimersByTime(1000)
  expect(seen).toHaveLength(2)
  expect(vi.getTimerCount()).toBe(0)
})

test('randomWalk keeps prices near the start and quantities smooth over hours', () => {
  const seen = quotes(randomWalk({ tokens: [{ address: '0xab', price: 2500, decimals: 6 }] }), 20_000)[
    '0xab'
  ]!
  let jump = 0
  let depthJump = 0
  for (const [index, { price, buy, sell }] of seen.entries()) {
    if (price < 1000 || price > 4000 || buy <= 0n || sell <= 0n) expect.unreachable(`${price} ${buy} ${sell}`)
    const before = seen[index - 1]
    if (before === undefined) continue
    jump = Math.max(jump, Math.abs(price / before.price - 1))
    depthJump = Math.max(depthJump, Math.abs(Number(buy) / Number(before.buy) - 1))
  }
  expect(jump).toBeGreaterThan(0.0005)
  expect(jump).toBeLessThan(0.004)
  expect(depthJump).toBeGreaterThan(0.01)
  expect(depthJump).toBeLessThan(0.2)
  expect(new Set(seen.map(({ buy }) => buy)).size).toBeGreaterThan(1000)
})

test('randomWalk converts quantities of about 250 000 USD by the decimals of the token', () => {
  const [first] = quotes(randomWalk({ tokens: [{ address: '0xab', price: 2500, decimals: 30 }] }), 0)['0xab']!
  expect(first?.buy).toBe(100n * 10n ** 30n)
})

test('randomWalk rejects an invalid option by name', () => {
  const rejection = (options: object) => {
    try {
      randomWalk({ tokens: [], ...options })
      return 'accepted'
    } catch (error) {
      return String(error)
    }
  }
  const tokens = (...options: unknown[]) => rejection({ tokens: options })
  expect([
    rejection({ seed: 1.5 }),
    rejection({ tick: 0 }),
    tokens('ETH'),
    tokens('0xab', '0xAB'),
    tokens({ address: '0xab', price: -1 }),
    tokens({ address: '0xab', decimals: 1.5 }),
    tokens({ address: '0xab', symbol: 7 }),
    tokens({ address: '0xab', prize: 1 }),
    tokens({ symbol: 'ETH' }),
    tokens(null),
    rejection({ tokens: 'ETH' }),
  ]).toMatchInlineSnapshot(`
    [
      "SimulatorError: seed: expected a whole number from -9007199254740991 to 9007199254740991, got 1.5",
      "SimulatorError: tick: expected a whole number of ms from 1 to 2147483647, got 0",
      "SimulatorError: address: expected a token address, \`0x\` and hex digits, got "ETH"",
      "SimulatorError: tokens: duplicate token",
      "SimulatorError: price: expected a finite number above 0, got -1",
      "SimulatorError: decimals: expected an integer from 0 to 100, got 1.5",
      "SimulatorError: symbol: expected a string, got 7",
      "SimulatorError: prize: unknown token field; expected one of address, symbol, decimals, price, topic",
      "SimulatorError: address: expected a token address, \`0x\` and hex digits, got undefined",
      "SimulatorError: token fields: expected an object, got null",
      "SimulatorError: tokens: expected an array of addresses or of { address, symbol, decimals, price }, got "ETH"",
    ]
  `)
})
