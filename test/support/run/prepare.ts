import type { TestProject } from 'vitest/node'
import startChromium from '../../browser/support/start-chromium.js'
import compileCopy from '../process/compiled-copy.js'
import { opensPages, startsProcesses } from './needs.js'

type Setup = (project: TestProject) => Promise<() => unknown>

/** What files need, once for all of them, before the first of them runs: a run of other files starts a second earlier. */
const setups: readonly (readonly [Setup, (file: string) => boolean])[] = [
  [compileCopy, (file) => startsProcesses(file) || opensPages(file)],
  [startChromium, opensPages],
]

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const teardowns = new Map<Setup, () => unknown>()
  const prepare = async (files: readonly string[]): Promise<void> => {
    for (const [setup, isNeeded] of setups)
      if (!teardowns.has(setup) && files.some(isNeeded)) teardowns.set(setup, await setup(project))
  }
  await prepare(project.vitest.state.getPaths())
  project.onTestsRerun((specifications) => prepare(specifications.map(({ moduleId }) => moduleId)))
  return async () => {
    for (const teardown of teardowns.values()) await teardown()
  }
}
