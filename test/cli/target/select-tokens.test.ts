import fc from 'fast-check'
import { isRight, left, right } from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import {
  findToken as find,
  namesFor,
  parseTokenAddress,
  parseTokensVariable,
  selectTokens as select,
  type TokenSources,
} from '../../../src/cli/target/select-tokens.js'
import { attempt } from '../../../src/cli/target/read-file.js'
import type { Address } from '../../../src/index.js'
import { address, anyText, builtInPropertyName } from '../../support/arbitraries.js'
import { wbtc, weth } from '../../support/tokens.js'

describe('the selected tokens', () => {
  type Source = Omit<TokenSources, 'variableTokens'> & { readonly variable: string }

  const sourcesOf = ({ variable, ...source }: Source): TokenSources => ({
    ...source,
    variableTokens: parseTokensVariable(variable),
  })

  const selectTokens = (given: readonly string[], source: Source) =>
    attempt(() => select(given, sourcesOf(source)))

  const knownTokens = [{ address: '0xee', symbol: 'ETH', decimals: 18 }] as const
  const service: Source = { ownTokens: [], fileTokens: [], variable: '' }
  const simulator: Source = { ...service, ownTokens: knownTokens }
  const file = {
    fileTokens: [
      { address: '0xaa', symbol: 'AAA', decimals: 6 },
      { address: '0xbb', symbol: 'BBB', decimals: 8 },
    ],
  } as const

  test('takes the tokens of the arguments: addresses, topics and symbols', () => {
    for (const sources of [service, simulator]) {
      expect(selectTokens(['0xab', 'svc-0xCD'], { ...sources, variable: '0xef' })).toEqual(
        right([{ address: '0xab' }, { address: '0xCD' }]),
      )
      expect(selectTokens(['AAA', '0xab', 'bbb'], { ...sources, ...file })).toEqual(
        right([file.fileTokens[0], { address: '0xab' }, file.fileTokens[1]]),
      )
    }
    expect(selectTokens(['eth'], simulator)).toEqual(right(knownTokens))
  })

  test('takes a token once', () => {
    expect(selectTokens(['0xab', 'svc-0xcd', 'svc-0xAB'], service)).toEqual(
      right([{ address: '0xAB' }, { address: '0xcd' }]),
    )
    expect(selectTokens(['ETH', '0xEE'], simulator)).toMatchObject(right([{ address: '0xEE' }]))
  })

  test('takes the tokens of the simulator, else those of SVC_TOKENS, the file or the gateway', () => {
    const variable = '0xab,svc-0xcd'
    expect(selectTokens([], { ...simulator, variable, ...file })).toEqual(right(knownTokens))
    expect(selectTokens([], { ...service, variable, ...file })).toEqual(
      right([{ address: '0xab' }, { address: '0xcd' }]),
    )
    expect(selectTokens([], { ...service, variable: ' ', ...file, servedTokens: knownTokens })).toEqual(
      right(file.fileTokens),
    )
    expect(selectTokens([], { ...service, servedTokens: knownTokens })).toEqual(right(knownTokens))
  })

  test('accepts names, blanks and repeated tokens in SVC_TOKENS', () => {
    expect(selectTokens([], { ...service, variable: ' ETH=0xab , =0xcd,0xAB,' })).toEqual(
      right([{ address: '0xAB' }, { address: '0xcd' }]),
    )
    expect(selectTokens([], { ...service, variable: 'E\u001b[2J=svc-0xab' })).toEqual(
      right([{ address: '0xab', symbol: 'E [2J' }]),
    )
  })

  test('finds symbols of SVC_TOKENS, which the file replaces, also with a simulator', () => {
    const variable = 'AAA=0xcc,CCC=0xcc'
    expect(selectTokens(['CCC'], { ...service, variable })).toEqual(
      right([{ address: '0xcc', symbol: 'CCC' }]),
    )
    expect(selectTokens(['AAA'], { ...service, ...file, variable })).toEqual(right([file.fileTokens[0]]))
    expect(selectTokens(['CCC', 'ETH'], { ...simulator, variable })).toEqual(
      right([{ address: '0xcc', symbol: 'CCC' }, knownTokens[0]]),
    )
    expect(selectTokens(['DDD'], { ...simulator, variable })).toMatchObject({
      left: expect.stringMatching(/^unknown token "DDD"\nKnown symbols: ETH, AAA, CCC\./) as string,
    })
  })

  test('finds no symbol of a real service that the user has not defined', () => {
    expect(selectTokens(['ETH'], service)).toMatchObject({
      left: expect.stringMatching(/^unknown token "ETH"\nNo symbols are known\./) as string,
    })
    expect(selectTokens(['AAA', 'ETH'], { ...service, ...file })).toMatchObject({
      left: expect.stringMatching(/^unknown token "ETH"\nKnown symbols: AAA, BBB\./) as string,
    })
  })

  test('gives the reason for no tokens', () => {
    expect(selectTokens([], service)).toEqual(
      left(
        'no token: give its contract address, set SVC_TOKENS or --tokens, or add --simulate to watch ETH and BTC',
      ),
    )
  })

  test('names the tokens of the simulator, those of SVC_TOKENS, and those of the file, in this order', () => {
    const names = namesFor(sourcesOf({ ...service, ...file, variable: `CCC=0xcc,WETH=${weth},CCC=0xaa` }))
    expect([wbtc, weth, '0xaa', '0xbb', '0xcc', '0xdd'].map((each) => names.symbol(each as Address))).toEqual(
      [...['BTC', 'WETH', 'AAA', 'BBB', undefined, undefined]],
    )
  })
})

describe('the token of an argument', () => {
  const weth = { address: '0xee', symbol: 'WETH', decimals: 18 } as const
  const usd = { address: '0xdd', symbol: 'USD', decimals: 6 } as const
  const findToken = (...args: Parameters<typeof find>) => attempt(() => find(...args))
  const messageOf = (text: string, named: Parameters<typeof find>[1]): unknown => {
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
})

describe('an address or a topic', () => {
  test('gives the address of an address or a topic in its spelling', () => {
    expect(['0xAb', 'svc-0xAb', 'ETH', 'other-0xab', ''].map(parseTokenAddress)).toEqual([
      '0xAb',
      '0xAb',
      undefined,
      undefined,
      undefined,
    ])
  })
})
