import { expect, test } from 'vitest'
import { createTokenNames } from '../../../src/cli/input/token-names.js'

const eth = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'

test('symbols, where they are known, in any case of the address', () => {
  const names = createTokenNames([{ address: eth, symbol: 'ETH', decimals: 18 }])
  const address = '0x82AF49447D8A07E3BD95BD0D56F35241523FBAB1'
  expect([names.whole(address), names.short(address), names.decimals(address)]).toEqual(['ETH', 'ETH', 18])
})

test('addresses, where they are not: whole, or enough of them', () => {
  const names = createTokenNames([])
  expect([names.whole(eth), names.short(eth), names.decimals(eth)]).toEqual([eth, '0x82af…bab1', undefined])
  expect([names.short('0xab'), names.short('0x12345678901'), names.short('0x123456789012')]).toEqual([
    '0xab',
    '0x12345678901',
    '0x1234…9012',
  ])
})

test('a name of the user’s own goes before, and leaves the decimals', () => {
  const names = createTokenNames([
    { address: eth, symbol: 'ETH', decimals: 18 },
    { address: '0x82AF49447d8a07e3bd95bd0d56f35241523fbab1', symbol: 'Ether' },
  ])
  expect([names.whole(eth), names.decimals(eth)]).toEqual(['Ether', 18])
})
