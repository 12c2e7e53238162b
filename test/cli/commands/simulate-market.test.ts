import { expect, test } from 'vitest'
import { chooseMarket, type MarketFlags } from '../../../src/cli/commands/simulate-market.js'

test('the recording unless a flag of the walk is there', () => {
  expect(chooseMarket({})).toMatchObject({ market: { tokens: [{ symbol: 'ETH' }, { symbol: 'BTC' }] } })
  expect(chooseMarket({ speed: 10 })).toHaveProperty('market')
  expect(chooseMarket({ market: 'walk' })).toEqual({ seed: 1 })
  expect(chooseMarket({ tick: 50 })).toEqual({ seed: 1, tick: 50 })
  expect(chooseMarket({ token: ['0xab'], seed: 7 })).toEqual({ seed: 7, tokens: ['0xab'] })
})

test.each<readonly [MarketFlags, string]>([
  [{ speed: 2, tick: 50 }, 'speed: is for the recorded market; leave it out, or give --tick instead'],
  [{ speed: 2, market: 'walk' }, 'speed: is for the recorded market; leave it out, or give --tick instead'],
  [{ market: 'recorded', token: ['0xab'] }, 'token: is for a walk; leave it out, or give --market walk'],
  [{ market: 'recorded', seed: 1 }, 'seed: is for a walk; leave it out, or give --market walk'],
])('%o contradicts itself', (flags, message) => {
  expect(() => chooseMarket(flags)).toThrow(message)
})
