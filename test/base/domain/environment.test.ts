import { describe, expect, it } from 'vitest'
import { chainIds } from '../../../src/base/domain/environment.js'

describe('the environment module (section 1)', () => {
  it('has the chain ids of the table', () => {
    expect(chainIds).toEqual({ mainnet: 42161, testnet: 421614 })
  })
})
