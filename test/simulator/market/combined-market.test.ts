import { combinedMarket, type Market } from 'svc-streams/simulator'
import { expect, test } from 'vitest'
import { manualMarket } from '../support/manual-market.js'

const still = (address: `0x${string}`, ended: string[]): Market => ({
  tokens: [{ address, symbol: address, decimals: 0 }],
  open: (emit) => {
    emit({ token: address, price: 1, buy: 1n, sell: 1n })
    return () => ended.push(address)
  },
})

test('all tokens, all quotes, and all of them end', () => {
  const ended: string[] = []
  const market = combinedMarket(still('0xaa', ended), still('0xbb', ended))
  const quoted: string[] = []
  const end = market.open(({ token }) => quoted.push(token))
  expect(market.tokens.map(({ address }) => address)).toEqual(['0xaa', '0xbb'])
  expect(quoted).toEqual(['0xaa', '0xbb'])
  end()
  expect(ended).toEqual(['0xaa', '0xbb'])
})

test('a token in two of them is refused, in whatever case', () => {
  expect(() =>
    combinedMarket(manualMarket(), still('0x2F2A2543B76A4166549F7AAB2E75BEF0AEFC5B0F', [])),
  ).toThrow('market: 0x2F2A2543B76A4166549F7AAB2E75BEF0AEFC5B0F is in two markets; leave it out of one')
})

test('none is a market of nothing', () => {
  expect(combinedMarket().tokens).toEqual([])
})
