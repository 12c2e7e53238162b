import type { TestProject } from 'vitest/node'

/** Prints the seed of the run before its first test. */
export default (project: TestProject): void => {
  const { seed } = project.getProvidedContext()
  project.vitest.logger.log(`Seed of the generated cases: ${seed}. TEST_SEED=${seed} repeats them.`)
}
