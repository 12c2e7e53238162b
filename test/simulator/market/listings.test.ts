import { randomWalk, type Quote } from 'svc-streams/simulator'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createListings } from '../../../src/simulator/market/listings.js'
import { bitcoin, ether, manualMarket } from '../support/manual-market.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const open = () => {
  const market = manualMarket()
  const published: (readonly [string, number])[] = []
  const board = createListings(market, 10_000, (address, price) => published.push([address, price]))
  board.find(ether)
  published.length = 0
  return { market, board, published }
}

test('the market is opened with the first look, once, and ended with the board', () => {
  const market = manualMarket()
  const board = createListings(market, 10_000, () => undefined)
  expect(market.runs).toEqual({ opened: 0, ended: 0 })
  expect(board.find(ether)?.quote.price).toBe(2500)
  board.find(bitcoin)
  expect(market.runs).toEqual({ opened: 1, ended: 0 })
  board.close()
  expect(market.runs).toEqual({ opened: 1, ended: 1 })
})

test('a change of the price is published, one of the quantities only kept', () => {
  const { market, board, published } = open()
  market.move({ price: 2501 })
  market.move({ price: 2501, buy: 7n })
  market.move({ price: 2502 })
  expect(published).toEqual([
    [ether, 2501],
    [ether, 2502],
  ])
  market.move({ price: 2502, buy: 7n })
  expect(board.find(ether)?.quote.buy).toBe(7n)
  board.close()
})

test('the last price is published again after every 10 s without a change', () => {
  const { market, board, published } = open()
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
  board.close()
})

test('a delisted token is not found and not published; listed again, it is as it was', () => {
  const { market, board, published } = open()
  board.delist('0x82AF49447D8A07E3BD95BD0D56F35241523FBAB1')
  market.move({ price: 2501 })
  vi.advanceTimersByTime(20_000)
  expect(published.filter(([address]) => address === ether)).toEqual([])
  expect(board.find(ether)).toBeUndefined()
  expect(board.tokens.map(({ symbol }) => symbol)).toEqual(['BTC'])
  board.list(randomWalk({ tokens: [ether] }))
  expect(published.filter(([address]) => address === ether)).toEqual([[ether, 2501]])
  expect(board.find(ether)?.token.symbol).toBe('ETH')
  board.close()
})

test('a token listed later is found and published, before the first look and after it', () => {
  const { board, published } = open()
  board.list(randomWalk({ tokens: [{ address: '0xAB', price: 12 }] }))
  expect(published).toEqual([['0xab', 12]])
  expect(board.find('0xab')?.quote.price).toBe(12)
  board.close()

  const early = createListings(manualMarket(), 10_000, () => undefined)
  early.list(randomWalk({ tokens: ['0xab'] }))
  expect(early.find('0xab')?.quote.price).toBe(100)
  early.close()
})

test('a token without a quote passes for unsupported', () => {
  const board = createListings(
    { tokens: [{ address: '0xab', symbol: 'AB', decimals: 0 }], open: () => () => undefined },
    10_000,
    () => undefined,
  )
  expect(board.find('0xab')).toBeUndefined()
  expect(board.tokens).toHaveLength(1)
  board.close()
})

test.each<readonly [string, Partial<Quote>]>([
  ['quoted 0xab, which it does not list', { token: '0xab' }],
  ['without a good price or quantity', { price: 0 }],
  ['without a good price or quantity', { price: Infinity }],
  ['without a good price or quantity', { buy: -1n }],
  ['without a good price or quantity', { sell: 1 as unknown as bigint }],
])('a market that is wrong is told so: %s', (problem, change) => {
  const { market, board } = open()
  expect(() => market.move(change)).toThrow(problem)
  board.close()
})

test('after the end nothing is opened, published or kept for later', () => {
  const market = manualMarket()
  let emit: (quote: Quote) => void = () => undefined
  const published: number[] = []
  const open = (given: typeof emit) => {
    emit = given
    return market.open(given)
  }
  const board = createListings({ ...market, open }, 10_000, (_, price) => published.push(price))
  board.find(ether)
  board.close()
  published.length = 0
  emit({ token: ether, price: 1, buy: 1n, sell: 1n })
  board.list(randomWalk({ tokens: ['0xab'] }))
  expect(board.find('0xab')).toBeUndefined()
  expect(published).toEqual([])
})
