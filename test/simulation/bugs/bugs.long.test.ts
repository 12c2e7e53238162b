import { describe, expect, it } from 'vitest'
import { bugs } from './bugs.js'
import { withBug } from './with-bug.js'

const hourMs = 3_600_000

describe('the simulation finds a bug that is put back:', () => {
  it.each(bugs)('$name', { timeout: 600_000 }, async (bug) => {
    const { searchSeeds, shrink, runEpisode } = await withBug(bug)
    const { failure } = await searchSeeds({ firstSeed: 1, simulatedMs: 50 * hourMs })

    expect(failure).toBeDefined()
    const shortest = await shrink(failure!)
    expect(shortest.scenario.steps.length).toBeLessThanOrEqual(failure!.scenario.steps.length)
    // The short history fails by itself, always in the same way.
    expect((await runEpisode(shortest.scenario)).violation).toEqual(shortest.violation)
  })
})
