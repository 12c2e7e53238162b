import { left, right } from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { parseTokensVariable } from '../../../src/cli/tokens/tokens-variable.js'

const file = [{ address: '0xaa', symbol: 'A:A', decimals: 6 }] as const

test('reads addresses, topics, symbols with an address, and symbols of the file', () => {
  expect(parseTokensVariable(' ,0xab, svc-0xCD,ETH = 0xef ,A:A,', file)).toEqual(
    right([
      right({ address: '0xab' }),
      right({ address: '0xCD' }),
      right({ address: '0xef', symbol: 'ETH' }),
      right(file[0]),
    ]),
  )
})

test('accepts a word that may be a symbol of another file', () => {
  expect(parseTokensVariable('WETH', [])).toEqual(
    right([left(expect.stringMatching(/^SVC_TOKENS: invalid entry "WETH"/))]),
  )
})

test.each([
  ...['WETH:0x82af', 'WETH=0x82zz', 'WETH 0x82af', 'WETH=', 'WETH=82af', 'WETH:82af', 'a=b=0xab'],
  ...['0x82zz', '0x', '0xab;0xcd', 'WETH=svc-', 'svc-0xzz', 'WETH0x82af', '='],
])('names the malformed entry %s and the expected form', (entry) => {
  expect(parseTokensVariable(`0xab,${entry}`, file)).toEqual(
    left(
      `SVC_TOKENS: invalid entry "${entry}": expected SYMBOL=0x…, a contract address, 0x and hex digits, or a topic, ` +
        'svc-0x and hex digits, or a symbol of --tokens',
    ),
  )
})

test('prints a malformed entry on one line, without control characters', () => {
  expect(parseTokensVariable('E\u001b[2J\n=no', [])).toMatchObject({
    left: expect.stringContaining('invalid entry "E [2J =no"') as string,
  })
})
