import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { parseTokensVariable } from '../../../src/cli/tokens/tokens-variable.js'
import {
  namedTokens,
  selectTokens as select,
  type TokenSources,
} from '../../../src/cli/tokens/selected-tokens.js'

type Source = Omit<TokenSources, 'variableEntries'> & { readonly variable: string }

const sourcesOf = ({ variable, ...source }: Source): TokenSources => {
  const entries = parseTokensVariable(variable, source.fileTokens)
  if (isLeft(entries)) throw new Error(entries.left)
  return { ...source, variableEntries: entries.right }
}

const selectTokens = (given: readonly string[], source: Source) => select(given, sourcesOf(source))

const knownTokens = [{ address: '0xee', symbol: 'ETH', decimals: 18 }] as const
const service: Source = { isSimulator: false, knownTokens, fileTokens: [], variable: '' }
const simulator: Source = { ...service, isSimulator: true }
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

test('takes the tokens of the simulator, else those of SVC_TOKENS, else those of the file', () => {
  const variable = '0xab,svc-0xcd'
  expect(selectTokens([], { ...simulator, variable, ...file })).toEqual(right(knownTokens))
  expect(selectTokens([], { ...service, variable, ...file })).toEqual(
    right([{ address: '0xab' }, { address: '0xcd' }]),
  )
  expect(selectTokens([], { ...service, variable: ' ', ...file })).toEqual(right(file.fileTokens))
})

test('accepts names, blanks, repeated tokens and symbols of the file in SVC_TOKENS', () => {
  expect(selectTokens([], { ...service, variable: ' ETH=0xab , =0xcd,0xAB,' })).toEqual(
    right([{ address: '0xAB' }, { address: '0xcd' }]),
  )
  expect(selectTokens([], { ...service, variable: 'E\u001b[2J=svc-0xab' })).toEqual(
    right([{ address: '0xab', symbol: 'E [2J' }]),
  )
  expect(selectTokens([], { ...service, ...file, variable: 'BBB,0xcd' })).toEqual(
    right([file.fileTokens[1], { address: '0xcd' }]),
  )
})

test('finds symbols of SVC_TOKENS, which the file replaces, also with a simulator', () => {
  const variable = 'AAA=0xcc,CCC=0xcc,nonsense'
  expect(selectTokens(['CCC'], { ...service, variable })).toEqual(right([{ address: '0xcc', symbol: 'CCC' }]))
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
  expect(selectTokens([], { ...service, variable: '0xab,ETH' })).toEqual(
    left(expect.stringMatching(/^SVC_TOKENS: invalid entry "ETH": expected SYMBOL=0x…, /)),
  )
})

test('names known tokens, those of SVC_TOKENS, and those of the file, in this order', () => {
  const variable = 'CCC=0xcc,0xdd,nonsense'
  const ccc = { address: '0xcc', symbol: 'CCC' }
  const sources = sourcesOf({ ...service, ...file, variable })
  expect(namedTokens(sources)).toEqual([...knownTokens, ccc, ...file.fileTokens])
  const given = [{ address: '0xcc', symbol: 'CCC' }, { address: '0xff' }] as const
  expect(namedTokens(sources, given)).toEqual([...knownTokens, ccc, ...file.fileTokens, ccc])
})
