import { describe, expect, it } from 'vitest'
import { caseCount } from '../../support/run/long.js'
import { bugs, searchOf } from './bugs.js'
import { lineBugs } from './line-bugs.js'
import { withBug } from './with-bug.js'

describe('the simulation finds a bug that is put back:', () => {
  it.each(bugs.slice(0, caseCount(bugs.length)))('$name', { timeout: 600_000 }, async (bug) => {
    const { searchSeeds } = await withBug(bug)
    const { failure } = await searchSeeds(searchOf(bug))
    expect(failure).toBeDefined()
  })

  it.each(lineBugs.slice(0, caseCount(lineBugs.length)))(
    'several lines: $name',
    { timeout: 600_000 },
    async (bug) => {
      const { searchLines } = await withBug(bug)
      const { violation } = await searchLines(bug.kind, bug.firstSeed ?? 1, 60)
      expect(violation).not.toBe('')
    },
  )

  it('and shortens its history, which fails by itself, always in the same way', async () => {
    const bug = bugs.find(({ name }) => name.startsWith('a late'))!
    const { searchSeeds, shrink, runEpisode } = await withBug(bug)
    const { failure } = await searchSeeds(searchOf(bug))
    const shortest = await shrink(failure!)
    expect(shortest.scenario.steps.length).toBeLessThan(10)
    expect((await runEpisode(shortest.scenario)).violation).toEqual(shortest.violation)
  })
})
