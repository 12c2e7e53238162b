import fc from 'fast-check'
import { isRight, right } from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { findToken } from '../../../src/cli/tokens/find-token.js'
import { address, anyText, builtInPropertyName } from '../../support/arbitraries.js'

const weth = { address: '0xee', symbol: 'WETH', decimals: 18 } as const
const usd = { address: '0xdd', symbol: 'USD', decimals: 6 } as const
const messageOf = (text: string, named: Parameters<typeof findToken>[1]): unknown => {
  const found = findToken(text, named)
  return isRight(found) ? found : found.left
}

test('returns the address of an address or a topic, also if it is a symbol', () => {
  for (const text of ['0xAb', 'svc-0xAb']) {
    expect(findToken(text, [{ ...weth, symbol: text }])).toEqual(right({ address: '0xAb' }))
  }
})

test('returns the token of a symbol, in the exact case if there is one', () => {
  const lower = { address: '0xff', symbol: 'weth' } as const
  expect(findToken('weth', [weth, lower])).toEqual(right(lower))
  expect(findToken('WETH', [weth, lower])).toEqual(right(weth))
  expect(findToken('wEth', [weth, usd])).toEqual(right(weth))
})

test('returns the later one of two tokens with the same symbol', () => {
  const later = { address: '0xff', symbol: 'WETH' } as const
  expect(findToken('WETH', [weth, later])).toEqual(right(later))
  expect(findToken('weth', [weth, later])).toEqual(right(later))
})

test('does not choose between tokens whose symbols differ in case only', () => {
  const lower = { address: '0xff', symbol: 'weth' } as const
  expect(messageOf('Weth', [weth, lower])).toBe('"Weth" may be WETH, weth; give one of them')
  expect(findToken('Weth', [weth, { ...lower, address: '0xEE' }])).toMatchObject(right({ symbol: 'WETH' }))
})

test('lists the known symbols and what else to give', () => {
  expect(messageOf('ETHH', [weth, usd])).toBe(`\
unknown token "ETHH"
Known symbols: WETH, USD. Give one of them, a contract address, 0x and hex digits, or a topic, svc-0x and hex digits.`)
  expect(messageOf('0xzz', [])).toBe(`\
unknown token "0xzz"
No symbols are known. Define them in a file for --tokens, or give a contract address, 0x and hex digits, or a topic, svc-0x and hex digits.`)
  const many = Array.from({ length: 25 }, (_, at) => ({ address: `0x${at}`, symbol: `T${at}` }) as const)
  expect(messageOf('X', many)).toContain('Known symbols: T0, T1, ')
  expect(messageOf('X', many)).toContain(' T19, and 5 more. Give one of them')
})

test('does not repeat the value of a misspelt flag, which may be a key', () => {
  expect(messageOf('–auth-key=c2VjcmV0==', [])).toContain('unknown token "–auth-key"\n')
  expect(messageOf('–auth-key=c2Vj\ncmV0', [])).not.toContain('cmV0')
})

test('finds exactly the symbols that exist', () => {
  const text = fc.oneof(anyText, builtInPropertyName).filter((each) => !/^(?:svc-)?0x/.test(each))
  fc.assert(
    fc.property(fc.array(fc.tuple(text, address)), text, (entries, other) => {
      const named = entries.map(([symbol, each]) => ({ symbol, address: each }))
      const found = [...entries.map(([symbol]) => symbol), other].map((each) => findToken(each, named))
      const symbols = new Set(named.map(({ symbol }) => symbol.toLowerCase()))
      expect(found.slice(0, -1).every(isRight)).toBe(true)
      if (isRight(found.at(-1)!)) expect(symbols.has(other.toLowerCase())).toBe(true)
    }),
  )
})
