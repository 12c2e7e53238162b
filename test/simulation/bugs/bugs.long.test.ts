import { describe, expect, it } from 'vitest'
import { bugs } from './bugs.js'
import { withBug } from './with-bug.js'

const hourMs = 3_600_000

describe('the simulation finds a bug that is put back:', () => {
  it.each(bugs)('$name', { timeout: 600_000 }, async (bug) => {
    const { searchSeeds } = await withBug(bug)
    const { failure } = await searchSeeds({ firstSeed: 1, simulatedMs: 50 * hourMs })
    expect(failure).toBeDefined()
  })

  it('and shortens its history, which fails by itself, always in the same way', async () => {
    const { searchSeeds, shrink, runEpisode } = await withBug(
      bugs.find(({ name }) => name.startsWith('a late'))!,
    )
    const { failure } = await searchSeeds({ firstSeed: 1, simulatedMs: 50 * hourMs })
    const shortest = await shrink(failure!)
    expect(shortest.scenario.steps.length).toBeLessThan(10)
    expect((await runEpisode(shortest.scenario)).violation).toEqual(shortest.violation)
  })
})
