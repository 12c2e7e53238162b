import { describe, expect, inject, it } from 'vitest'
import { isLong } from '../support/run/long.js'
import { bugs } from './bugs/bugs.js'
import { withEdits } from './bugs/edits.js'
import { lineBugs } from './bugs/line-bugs.js'
import { describeFailure, runEpisode, scenarioOf, searchSeeds, shrink } from './search/index.js'

const hourMs = 3_600_000

/** Gateways over WebSockets or none, gateways over NATS, and clients without pings. */
const kinds = [
  ['clients of the service and of gateways over WebSockets', { webSocket: 0.4, nats: 0 }],
  ['clients of gateways over NATS', { webSocket: 0, nats: 1 }],
  ['pages', { webSocket: 0.2, nats: 0, pages: 1 }],
] as const

describe.each(kinds)('a simulation of %s', (_kind, shares) => {
  it('has the same trace for the same seed, byte for byte', async () => {
    const { steps, ...scenario } = scenarioOf(2, shares)
    const activeMs = 60_000
    const minute = { ...scenario, activeMs, steps: steps.filter(({ at }) => at < activeMs) }
    const first = await runEpisode(minute, true)
    const second = await runEpisode(minute, true)

    expect(first.trace.length).toBeGreaterThan(500)
    expect(second.trace.join('\n')).toBe(first.trace.join('\n'))
  })

  it('has another scenario for another seed', () => {
    expect(scenarioOf(12, shares)).not.toEqual(scenarioOf(13, shares))
  })

  it(
    'violates no invariant of a client, whatever fails',
    async () => {
      const firstSeed = isLong ? inject('seed') : 6
      const simulatedMs = (isLong ? 3 : 0.03) * hourMs
      const { failure, delivered } = await searchSeeds({ firstSeed, simulatedMs, shares })

      expect(failure === undefined ? '' : describeFailure(await shrink(failure))).toBe('')
      expect(delivered).toBeGreaterThan(simulatedMs / 1_000)
    },
    isLong ? 300_000 : 60_000,
  )
})

describe('the sources have in one place the code of the bug:', () => {
  it.each([...bugs, ...lineBugs])('$name', (bug) => {
    expect(() => withEdits(bug)).not.toThrow()
  })
})
