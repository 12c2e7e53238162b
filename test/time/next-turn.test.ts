import { expect, it } from 'vitest'
import { nextTurn } from '../../src/time/next-turn.js'

it('resolves after promises that are settled', async () => {
  const log: string[] = []
  const turn = nextTurn().then(() => log.push('turn'))
  await Promise.resolve().then(() => log.push('promise'))
  await turn
  expect(log).toEqual(['promise', 'turn'])
})
