import { expect, test } from 'vitest'
import { addresses, environment } from '../../../src/cli/input/arguments.js'

test('appends an address', () => {
  expect(addresses('0xCd', addresses('0xab'))).toEqual(['0xab', '0xCd'])
  for (const text of ['', '0x', 'ab', '0xzz', 'svc-0xab', '0xab,0xcd']) {
    expect(() => addresses(text)).toThrow('Give a contract address: 0x and hex digits.')
  }
})

test('accepts an environment; an empty variable counts as not set', () => {
  expect(['mainnet', 'testnet', ''].map(environment)).toEqual(['mainnet', 'testnet', 'mainnet'])
  expect(() => environment('moon')).toThrow('Give mainnet or testnet.')
})
