import { afterEach, describe, expect, it, vi } from 'vitest'
import { nextTurn, promiseSettler } from '../../src/time/next-turn.js'

afterEach(() => void vi.unstubAllGlobals())

it('nextTurn resolves after promises that are settled', async () => {
  const log: string[] = []
  const turn = nextTurn().then(() => log.push('turn'))
  await Promise.resolve().then(() => log.push('promise'))
  await turn
  expect(log).toEqual(['promise', 'turn'])
})

describe('promiseSettler', () => {
  it.each([
    ['on Node', process],
    ['in a browser', undefined],
    ['with the `process` of a bundler', { versions: {}, nextTick: () => expect.unreachable() }],
  ])('calls back after a long chain of promises, %s', async (_, given) => {
    vi.stubGlobal('process', given)
    const log: string[] = []
    const chain = async (): Promise<void> => {
      for (let link = 0; link < 1000; link++) await Promise.resolve()
      log.push('chain')
    }
    void chain()
    await new Promise<void>(promiseSettler()).then(() => log.push('settled'))
    expect(log).toEqual(['chain', 'settled'])
  })
})
