import { expect, test } from 'vitest'
import { createTokenNames } from '../../../src/cli/target/token-names.js'

const eth = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'

test('gives symbols for any case of the address', () => {
  const names = createTokenNames([{ address: eth, symbol: 'ETH', decimals: 18 }])
  const address = '0x82AF49447D8A07E3BD95BD0D56F35241523FBAB1'
  expect([names.full(address), names.display(address).symbol, names.decimals(address)]).toEqual([
    'ETH',
    'ETH',
    18,
  ])
})

test('gives full and abbreviated addresses of unknown tokens', () => {
  const names = createTokenNames([])
  expect([names.full(eth), names.display(eth).symbol, names.decimals(eth)]).toEqual([
    eth,
    '0x82af…bab1',
    undefined,
  ])
  expect([
    names.display('0xab').symbol,
    names.display('0x12345678901').symbol,
    names.display('0x123456789012').symbol,
  ]).toEqual(['0xab', '0x12345678901', '0x1234…9012'])
})

test('prefers a later symbol, and keeps the decimals', () => {
  const names = createTokenNames([
    { address: eth, symbol: 'ETH', decimals: 18 },
    { address: '0x82AF49447d8a07e3bd95bd0d56f35241523fbab1', symbol: 'Ether' },
  ])
  expect([names.full(eth), names.decimals(eth)]).toEqual(['Ether', 18])
})

test('gives a symbol to one token only, the later one', () => {
  const names = createTokenNames([
    { address: '0xaa', symbol: 'ETH', decimals: 18 },
    { address: '0xbb', symbol: 'ETH' },
  ])
  expect([
    names.full('0xaa'),
    names.display('0xaa').symbol,
    names.symbol('0xAA'),
    names.decimals('0xaa'),
  ]).toEqual(['0xaa', '0xaa', undefined, 18])
  expect([names.full('0xbb'), names.symbol('0xBB'), names.decimals('0xbb')]).toEqual([
    'ETH',
    'ETH',
    undefined,
  ])
})

test('gives the topic of an address in its spelling', () => {
  expect(createTokenNames([]).topic('0xAb')).toBe('svc-0xAb')
  expect(createTokenNames([], 'acme').topic('0xAb')).toBe('acme-0xAb')
})
