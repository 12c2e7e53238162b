import { combinedMarket, type Market } from 'svc-streams/simulator'
import { expect, test } from 'vitest'
import { manualMarket } from '../../support/manual-market.js'

const constantMarket = (address: `0x${string}`, stopped: string[]): Market => ({
  tokens: [{ address, symbol: address, decimals: 0 }],
  open: (emit) => {
    emit({ token: address, price: 1, buy: 1n, sell: 1n })
    return () => stopped.push(address)
  },
})

test('combinedMarket has all tokens, emits all quotes and stops all markets', () => {
  const stopped: string[] = []
  const market = combinedMarket(constantMarket('0xaa', stopped), constantMarket('0xbb', stopped))
  const quoted: string[] = []
  const stop = market.open(({ token }) => quoted.push(token))
  expect(market.tokens.map(({ address }) => address)).toEqual(['0xaa', '0xbb'])
  expect(quoted).toEqual(['0xaa', '0xbb'])
  stop()
  expect(stopped).toEqual(['0xaa', '0xbb'])
})

test('combinedMarket rejects a token that is in two markets, in any case', () => {
  expect(() =>
    combinedMarket(manualMarket(), constantMarket('0x2F2A2543B76A4166549F7AAB2E75BEF0AEFC5B0F', [])),
  ).toThrow('market: 0x2F2A2543B76A4166549F7AAB2E75BEF0AEFC5B0F is in two markets; remove it from one')
})

test('combinedMarket without markets has no tokens', () => {
  expect(combinedMarket().tokens).toEqual([])
})
