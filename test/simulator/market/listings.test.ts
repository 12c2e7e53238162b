import { randomWalk, type Quote } from 'svc-streams/simulator'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Listings } from '../../../src/simulator/market/listings.js'
import { wbtc, weth } from '../../support/tokens.js'
import { manualMarket } from '../../support/manual-market.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const open = () => {
  const market = manualMarket()
  const published: (readonly [string, number])[] = []
  const listings = new Listings(market, 10_000, (address, price) => published.push([address, price]))
  listings.find(weth)
  published.length = 0
  return { market, listings, published }
}

test('listings open the market at the first find, once, and stop it on close', () => {
  const market = manualMarket()
  const listings = new Listings(market, 10_000, () => undefined)
  expect(market.runCounts).toEqual({ opened: 0, closed: 0 })
  expect(listings.find(weth)?.quote.price).toBe(2500)
  listings.find(wbtc)
  expect(market.runCounts).toEqual({ opened: 1, closed: 0 })
  listings.close()
  expect(market.runCounts).toEqual({ opened: 1, closed: 1 })
})

test('listings publish a change of the price, but not of the quantities alone', () => {
  const { market, listings, published } = open()
  market.update({ price: 2501 })
  market.update({ price: 2501, buy: 7n })
  market.update({ price: 2502 })
  expect(published).toEqual([
    [weth, 2501],
    [weth, 2502],
  ])
  market.update({ price: 2502, buy: 7n })
  expect(listings.find(weth)?.quote.buy).toBe(7n)
  listings.close()
})

test('listings publish the last price again after every 10 s without a change', () => {
  const { market, listings, published } = open()
  market.update({ price: 2501 })
  vi.advanceTimersByTime(6_000)
  market.update({ price: 2502 })
  vi.advanceTimersByTime(9_999)
  expect(published.filter(([address]) => address === weth)).toHaveLength(2)
  vi.advanceTimersByTime(1)
  vi.advanceTimersByTime(10_000)
  expect(published.filter(([address]) => address === weth).slice(2)).toEqual([
    [weth, 2502],
    [weth, 2502],
  ])
  listings.close()
})

test('delist hides a token and stops its prices; list restores it with its market', () => {
  const { market, listings, published } = open()
  listings.delist('0x82AF49447D8A07E3BD95BD0D56F35241523FBAB1')
  market.update({ price: 2501 })
  vi.advanceTimersByTime(20_000)
  expect(published.filter(([address]) => address === weth)).toEqual([])
  expect(listings.find(weth)).toBeUndefined()
  expect(listings.tokens.map(({ symbol }) => symbol)).toEqual(['BTC'])
  listings.list(randomWalk({ tokens: [weth] }))
  expect(published.filter(([address]) => address === weth)).toEqual([[weth, 2501]])
  expect(listings.find(weth)?.token.symbol).toBe('ETH')
  listings.close()
})

test('list adds a token before and after the market is open', () => {
  const { listings, published } = open()
  listings.list(randomWalk({ tokens: [{ address: '0xAB', price: 12 }] }))
  expect(published).toEqual([['0xab', 12]])
  expect(listings.find('0xab')?.quote.price).toBe(12)
  listings.close()

  const early = new Listings(manualMarket(), 10_000, () => undefined)
  early.list(randomWalk({ tokens: ['0xab'] }))
  expect(early.find('0xab')?.quote.price).toBe(100)
  early.close()
})

test('find returns undefined for a token without a quote', () => {
  const listings = new Listings(
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
  expect(() => market.update(change)).toThrow(problem)
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
  const listings = new Listings({ ...market, open }, 10_000, (_, price) => published.push(price))
  listings.find(weth)
  listings.close()
  published.length = 0
  emit({ token: weth, price: 1, buy: 1n, sell: 1n })
  listings.list(randomWalk({ tokens: ['0xab'] }))
  expect(listings.find('0xab')).toBeUndefined()
  expect(published).toEqual([])
})
