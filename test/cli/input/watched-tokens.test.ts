import { left, right } from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { watchedTokens } from '../../../src/cli/input/watched-tokens.js'

const known = [{ address: '0xee', symbol: 'ETH', decimals: 18 }] as const
const real = { simulated: false, known }
const simulated = { simulated: true, known }

test('those that are given', () => {
  for (const deployment of [real, simulated]) {
    expect(watchedTokens(['0xab', '0xCD'], deployment, '0xef')).toEqual(
      right([{ address: '0xab' }, { address: '0xCD' }]),
    )
  }
})

test('or else those of the simulator, or else those of SVC_TOKENS', () => {
  expect(watchedTokens([], simulated, '0xef')).toEqual(right(known))
  expect(watchedTokens([], real, '0xab,svc-0xcd')).toEqual(right([{ address: '0xab' }, { address: '0xcd' }]))
})

test('SVC_TOKENS may have names, blanks, and a token twice', () => {
  expect(watchedTokens([], real, ' ETH=0xab , =0xcd,0xAB,')).toEqual(
    right([{ address: '0xAB' }, { address: '0xcd' }]),
  )
  expect(watchedTokens([], real, 'E\u001b[2J=svc-0xab')).toEqual(
    right([{ address: '0xab', symbol: 'E [2J' }]),
  )
})

test('a misuse is told', () => {
  expect(watchedTokens([], real)).toEqual(
    left('which token? Give its contract address, set SVC_TOKENS, or add --simulate to watch ETH and BTC'),
  )
  for (const variable of ['ETH', '0xab;0xcd', '0xab,ETH=', 'a=b=0xab']) {
    expect(watchedTokens([], real, variable)).toEqual(
      left(expect.stringMatching(/^SVC_TOKENS: give a contract/)),
    )
  }
})
