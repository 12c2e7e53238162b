import { left, right } from 'fp-ts/lib/Either.js'
import { expect, test } from 'vitest'
import { watchedTokens } from '../../../src/cli/input/watched-tokens.js'

const knownTokens = [{ address: '0xee', symbol: 'ETH', decimals: 18 }] as const
const service = { isSimulator: false, knownTokens }
const simulator = { isSimulator: true, knownTokens }

test('takes the tokens of the arguments', () => {
  for (const deployment of [service, simulator]) {
    expect(watchedTokens(['0xab', '0xCD'], deployment, '0xef')).toEqual(
      right([{ address: '0xab' }, { address: '0xCD' }]),
    )
  }
})

test('takes the tokens of the simulator, else those of SVC_TOKENS', () => {
  expect(watchedTokens([], simulator, '0xef')).toEqual(right(knownTokens))
  expect(watchedTokens([], service, '0xab,svc-0xcd')).toEqual(
    right([{ address: '0xab' }, { address: '0xcd' }]),
  )
})

test('accepts names, blanks and repeated tokens in SVC_TOKENS', () => {
  expect(watchedTokens([], service, ' ETH=0xab , =0xcd,0xAB,')).toEqual(
    right([{ address: '0xAB' }, { address: '0xcd' }]),
  )
  expect(watchedTokens([], service, 'E\u001b[2J=svc-0xab')).toEqual(
    right([{ address: '0xab', symbol: 'E [2J' }]),
  )
})

test('gives the reason for no tokens', () => {
  expect(watchedTokens([], service)).toEqual(
    left('no token: give its contract address, set SVC_TOKENS, or add --simulate to watch ETH and BTC'),
  )
  for (const variable of ['ETH', '0xab;0xcd', '0xab,ETH=', 'a=b=0xab']) {
    expect(watchedTokens([], service, variable)).toEqual(
      left(expect.stringMatching(/^SVC_TOKENS: give a contract/)),
    )
  }
})
