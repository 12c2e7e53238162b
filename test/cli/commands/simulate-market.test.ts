import { describe, expect, test } from 'vitest'
import { type MarketFlags, marketOptions } from '../../../src/cli/commands/simulate.js'

describe('the market of the flags', () => {
  test('selects the recorded market unless a flag of the walk is given', () => {
    expect(marketOptions({})).toMatchObject({ market: { tokens: [{ symbol: 'ETH' }, { symbol: 'BTC' }] } })
    expect(marketOptions({ speed: 10 })).toHaveProperty('market')
    expect(marketOptions({ market: 'walk' })).toEqual({ seed: 1 })
    expect(marketOptions({ tick: 50 })).toEqual({ seed: 1, tick: 50 })
    expect(marketOptions({ token: ['0xab'], seed: 7 })).toEqual({ seed: 7, tokens: ['0xab'] })
  })

  test.each<readonly [MarketFlags, string]>([
    [{ speed: 2, tick: 50 }, 'speed: applies only to the recorded market; remove it, or set --tick instead'],
    [
      { speed: 2, market: 'walk' },
      'speed: applies only to the recorded market; remove it, or set --tick instead',
    ],
    [
      { market: 'recorded', token: ['0xab'] },
      'token: applies only to the random walk; remove it, or set --market walk',
    ],
    [
      { market: 'recorded', seed: 1 },
      'seed: applies only to the random walk; remove it, or set --market walk',
    ],
  ])('rejects %o', (flags, message) => {
    expect(() => marketOptions(flags)).toThrow(message)
  })
})
