import { describe, expect, it } from 'vitest'
import { chainIds, isEnvironment } from '../../../src/base/domain/environment.js'

describe('the environment module (section 1)', () => {
  it('has the chain ids of the table', () => {
    expect(chainIds).toEqual({ mainnet: 42161, testnet: 421614 })
  })

  it('recognises the two environments and no other value', () => {
    expect(Object.keys(chainIds).every(isEnvironment)).toBe(true)
    const others = [
      '',
      'Mainnet',
      'mainnet ',
      'devnet',
      'constructor',
      '__proto__',
      undefined,
      null,
      42161,
      {},
      ['mainnet'],
    ]
    expect(others.filter(isEnvironment)).toEqual([])
  })
})
