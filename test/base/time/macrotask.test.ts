import { afterEach, describe, expect, it, vi } from 'vitest'
import { macrotasks, nextTurn } from '../../../src/base/time/clock.js'
import { eventually } from '../../support/time/eventually.js'

const { setImmediate } = globalThis

afterEach(() => void vi.unstubAllGlobals())

describe.each(['with', 'without'])('macrotasks %s setImmediate', (how) => {
  const start = (work: () => void): (() => void) => {
    if (how === 'without') vi.stubGlobal('setImmediate', undefined)
    return macrotasks()(work)
  }

  it('calls after the promises that are settled', async () => {
    const log: string[] = []
    start(() => log.push('task'))
    await Promise.resolve().then(() => log.push('promise'))
    await eventually(() => log.length === 2)
    expect(log).toEqual(['promise', 'task'])
  })

  it('does not call a cancelled function', async () => {
    const log: string[] = []
    start(() => log.push('cancelled'))()
    start(() => log.push('other'))
    await eventually(() => log.length > 0)
    await new Promise((resolve) => setImmediate(resolve))
    expect(log).toEqual(['other'])
  })
})

it('nextTurn resolves after promises that are settled', async () => {
  const log: string[] = []
  const turn = nextTurn().then(() => log.push('turn'))
  await Promise.resolve().then(() => log.push('promise'))
  await turn
  expect(log).toEqual(['promise', 'turn'])
})
