import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { withChild } from '../process/child.js'
import { withSpread } from '../report/figures.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'
import { writeDependenciesOnly } from '../setup/door-dependencies.js'

const door = { name: '**svc-streams**', module: 'index.js' }
const dependencies = { name: 'its dependencies alone', module: 'dependencies-only.js' }
const candidates = [dependencies, door]

/** What importing the main door costs, beside what it cannot do without. */
export const startUp = async ({ imports }: Settings): Promise<Section> => {
  const specifiers = await writeDependenciesOnly()
  const measured = await inRounds(imports, candidates, ({ module }) =>
    withChild('programs/import-time.mjs', (child) => child.ask<number>('import', { module })),
  )
  const millis = (candidate: typeof door) => valuesOf(measured, candidate, (value) => value)
  return {
    title: 'Start-up',
    method: `Time of the import in a fresh process, ${imports} of each in turn. Cost: relative to the dependencies alone, lower is better.`,
    columns: ['Import', 'ms', 'cost'],
    rows: candidates.map((candidate) => [
      candidate.name,
      withSpread(spreadOf(millis(candidate))),
      withSpread(spreadOf(ratios(millis(candidate), millis(dependencies)))),
    ]),
    notes: [`Dependencies: ${specifiers.map((specifier) => `\`${specifier}\``).join(', ')}.`],
  }
}
