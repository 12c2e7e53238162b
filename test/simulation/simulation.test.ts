import { describe, expect, inject, it } from 'vitest'
import { isLong } from '../support/run/long.js'
import { describeFailure, runEpisode, scenarioOf, searchSeeds, shrink } from './search/index.js'

const hourMs = 3_600_000

describe('a simulation of failures', () => {
  it('has the same trace for the same seed, byte for byte', async () => {
    const { steps, ...scenario } = scenarioOf(2)
    const activeMs = 120_000
    const twoMinutes = { ...scenario, activeMs, steps: steps.filter(({ at }) => at < activeMs) }
    const first = await runEpisode(twoMinutes, true)
    const second = await runEpisode(twoMinutes, true)

    expect(first.trace.length).toBeGreaterThan(1_000)
    expect(second.trace.join('\n')).toBe(first.trace.join('\n'))
  })

  it('has another scenario for another seed', () => {
    const [one, other] = [scenarioOf(12), scenarioOf(13)]

    expect(one).not.toEqual(other)
  })

  it(
    'violates no invariant of a client, whatever fails',
    async () => {
      const firstSeed = isLong ? inject('seed') : 1
      const simulatedMs = (isLong ? 6 : 0.15) * hourMs
      const { failure, delivered } = await searchSeeds({ firstSeed, simulatedMs })

      expect(failure === undefined ? '' : describeFailure(await shrink(failure))).toBe('')
      expect(delivered).toBeGreaterThan(simulatedMs / 1_000)
    },
    isLong ? 300_000 : 60_000,
  )
})
