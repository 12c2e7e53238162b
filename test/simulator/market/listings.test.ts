import { randomWalk, type Quote } from 'svc-streams/simulator'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createListings } from '../../../src/simulator/market/listings.js'
import { bitcoin, ether, manualMarket } from '../../support/manual-market.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const open = () => {
  const market = manualMarket()
  const published: (readonly [string, number])[] = []
  const listings = createListings(market, 10_000, (address, price) => published.push([address, price]))
  listings.find(ether)
  published.length = 0
  return { market, listings, published }
}

test('listings open the market at the first find, once, and stop it on close', () => {
  const market = manualMarket()
  const listings = createListings(market, 10_000, () => undefined)
  expect(market.runs).toEqual({ opened: 0, ended: 0 })
  expect(listings.find(ether)?.quote.price).toBe(2500)
  listings.find(bitcoin)
  expect(market.runs).toEqual({ opened: 1, ended: 0 })
  listings.close()
  expect(market.runs).toEqual({ opened: 1, ended: 1 })
})

test('listings publish a change of the price, but not of the quantities alone', () => {
  const { market, listings, published } = open()
  market.move({ price: 2501 })
  market.move({ price: 2501, buy: 7n })
  market.move({ price: 2502 })
  expect(published).toEqual([
    [ether, 2501],
    [ether, 2502],
  ])
  market.move({ price: 2502, buy: 7n })
  expect(listings.find(ether)?.quote.buy).toBe(7n)
  listings.close()
})

test('listings publish the last price again after every 10 s without a change', () => {
  const { market, listings, published } = open()
  market.move({ price: 2501 })
  vi.advanceTimersByTime(6_000)
  market.move({ price: 2502 })
  vi.advanceTimersByTime(9_999)
  expect(published.filter(([address]) => address === ether)).toHaveLength(2)
  vi.advanceTimersByTime(1)
  vi.advanceTimersByTime(10_000)
  expect(published.filter(([address]) => address === ether).slice(2)).toEqual([
    [ether, 2502],
    [ether, 2502],
  ])
  listings.close()
})

test('delist hides a token and stops its prices; list restores it with its market', () => {
  const { market, listings, published } = open()
  listings.delist('0x82AF49447D8A07E3BD95BD0D56F35241523FBAB1')
  market.move({ price: 2501 })
  vi.advanceTimersByTime(20_000)
  expect(published.filter(([address]) => address === ether)).toEqual([])
  expect(listings.find(ether)).toBeUndefined()
  expect(listings.tokens.map(({ symbol }) => symbol)).toEqual(['BTC'])
  listings.list(randomWalk({ tokens: [ether] }))
  expect(published.filter(([address]) => address === ether)).toEqual([[ether, 2501]])
  expect(listings.find(ether)?.token.symbol).toBe('ETH')
  listings.close()
})

test('list adds a token before and after the market is open', () => {
  const { listings, published } = open()
  listings.list(randomWalk({ tokens: [{ address: '0xAB', price: 12 }] }))
  expect(published).toEqual([['0xab', 12]])
  expect(listings.find('0xab')?.quote.price).toBe(12)
  listings.close()

  const early = createListings(manualMarket(), 10_000, () => undefined)
  early.list(randomWalk({ tokens: ['0xab'] }))
  expect(early.find('0xab')?.quote.price).toBe(100)
  early.close()
})

test('find returns undefined for a token without a quote', () => {
  const listings = createListings(
    { tokens: [{ address: '0xab', symbol: 'AB', decimals: 0 }], open: () => () => undefined },
    10_000,
    () => undefined,
  )
  expect(listings.find('0xab')).toBeUndefined()
  expect(listings.tokens).toHaveLength(1)
  listings.close()
})

test.each<readonly [string, Partial<Quote>]>([
  ['emitted a quote for 0xab, which it does not list', { token: '0xab' }],
  ['with an invalid price or quantity', { price: 0 }],
  ['with an invalid price or quantity', { price: Infinity }],
  ['with an invalid price or quantity', { buy: -1n }],
  ['with an invalid price or quantity', { sell: 1 as unknown as bigint }],
])('listings throw into a market that emits an invalid quote: %s', (problem, change) => {
  const { market, listings } = open()
  expect(() => market.move(change)).toThrow(problem)
  listings.close()
})

test('listings open no market and publish nothing after close', () => {
  const market = manualMarket()
  let emit: (quote: Quote) => void = () => undefined
  const published: number[] = []
  const open = (emitToListings: typeof emit) => {
    emit = emitToListings
    return market.open(emitToListings)
  }
  const listings = createListings({ ...market, open }, 10_000, (_, price) => published.push(price))
  listings.find(ether)
  listings.close()
  published.length = 0
  emit({ token: ether, price: 1, buy: 1n, sell: 1n })
  listings.list(randomWalk({ tokens: ['0xab'] }))
  expect(listings.find('0xab')).toBeUndefined()
  expect(published).toEqual([])
})
