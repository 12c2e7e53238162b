import { expect, test } from 'vitest'
import { parseTokenAddress } from '../../../src/cli/tokens/token-address.js'

test('gives the address of an address or a topic in its spelling', () => {
  expect(['0xAb', 'svc-0xAb', 'ETH', 'other-0xab', ''].map(parseTokenAddress)).toEqual([
    '0xAb',
    '0xAb',
    undefined,
    undefined,
    undefined,
  ])
})
