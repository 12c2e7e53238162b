import { expect, test } from 'vitest'
import { addresses, environment, token, tokens } from '../../../src/cli/input/arguments.js'

test('appends an address', () => {
  expect(addresses('0xCd', addresses('0xab'))).toEqual(['0xab', '0xCd'])
  for (const text of ['', '0x', 'ab', '0xzz', 'svc-0xab', '0xab,0xcd']) {
    expect(() => addresses(text)).toThrow('Give a contract address: 0x and hex digits.')
  }
})

test('accepts a token by address or topic', () => {
  expect(['0xAb', 'svc-0xAb'].map(token)).toEqual(['0xAb', '0xAb'])
  for (const text of ['', 'ETH', '0x', '0xzz', 'svc-', 'svc-0x', 'other-0xab', 'svc-0xab-0xcd', ' 0xab']) {
    expect(() => token(text)).toThrow(
      'Give a contract address, 0x and hex digits, or a topic, svc-0x and hex digits.',
    )
  }
})

test('appends a token once', () => {
  expect(tokens('svc-0xcd', tokens('0xab'))).toEqual(['0xab', '0xcd'])
  expect(tokens('svc-0xAB', tokens('0xab'))).toEqual(['0xab'])
})

test('accepts an environment; an empty variable counts as not set', () => {
  expect(['mainnet', 'testnet', ''].map(environment)).toEqual(['mainnet', 'testnet', 'mainnet'])
  expect(() => environment('moon')).toThrow('Give mainnet or testnet.')
})
