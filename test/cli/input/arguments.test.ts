import { expect, test } from 'vitest'
import {
  addresses,
  environment,
  positiveNumber,
  replaySpeed,
  token,
  tokens,
  wholeNumber,
} from '../../../src/cli/input/arguments.js'

test('a whole number within bounds', () => {
  const parse = wholeNumber(0, 65_535)
  expect(['0', '3000', '065535'].map(parse)).toEqual([0, 3000, 65_535])
  for (const text of ['', ' ', '-1', '65536', '1.5', '1e3', '0x10', 'ten', '3000 ', 'NaN', 'Infinity']) {
    expect(() => parse(text)).toThrow('Give a whole number from 0 to 65535.')
  }
})

test('a number above 0', () => {
  const parse = positiveNumber(1000)
  expect(['1', '0.5', '1000'].map(parse)).toEqual([1, 0.5, 1000])
  for (const text of ['', '0', '0.0', '-1', '1001', '1e2', '.5', 'fast']) {
    expect(() => parse(text)).toThrow('Give a number above 0, at most 1000.')
  }
})

test('addresses, one more each time', () => {
  expect(addresses('0xCd', addresses('0xab'))).toEqual(['0xab', '0xCd'])
  for (const text of ['', '0x', 'ab', '0xzz', 'svc-0xab', '0xab,0xcd']) {
    expect(() => addresses(text)).toThrow('Give a contract address: 0x and hex digits.')
  }
})

test('a token by its address or its topic', () => {
  expect(['0xAb', 'svc-0xAb'].map(token)).toEqual(['0xAb', '0xAb'])
  for (const text of ['', 'ETH', '0x', '0xzz', 'svc-', 'svc-0x', 'other-0xab', 'svc-0xab-0xcd', ' 0xab']) {
    expect(() => token(text)).toThrow(
      'Give a contract address, 0x and hex digits, or a topic, svc-0x and hex digits.',
    )
  }
})

test('tokens, one more each time, each once', () => {
  expect(tokens('svc-0xcd', tokens('0xab'))).toEqual(['0xab', '0xcd'])
  expect(tokens('svc-0xAB', tokens('0xab'))).toEqual(['0xab'])
})

test('an environment; an empty variable is one that is not set', () => {
  expect(['mainnet', 'testnet', ''].map(environment)).toEqual(['mainnet', 'testnet', 'mainnet'])
  expect(() => environment('moon')).toThrow('Give mainnet or testnet.')
})

test('the speed of a replay is a number above 0, or max', () => {
  expect(['1', '0.5', '1000000', 'max'].map(replaySpeed)).toEqual([1, 0.5, 1e6, Infinity])
  for (const text of ['0', '-1', 'Infinity', 'MAX', '1x', '']) {
    expect(() => replaySpeed(text)).toThrow('Give a number above 0, or max.')
  }
})
