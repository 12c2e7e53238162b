import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { withChild } from '../process/child.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'
import { writeDependenciesOnly } from '../setup/entry-point-dependencies.js'

const entryPoint = { name: '**svc-streams**', module: 'index.js' }
const dependencies = { name: 'dependencies alone', module: 'dependencies-only.js' }
const candidates = [dependencies, entryPoint]

/** Time to import the main entry point, compared with its dependencies alone. */
export const startUp = async ({ imports }: Settings): Promise<Section> => {
  const specifiers = await writeDependenciesOnly()
  const measured = await inRounds(imports, candidates, ({ module }) =>
    withChild('programs/import-time.mjs', (child) => child.request<number>('import', { module })),
  )
  const millis = (candidate: typeof entryPoint) => valuesOf(measured, candidate, (value) => value)
  return {
    title: 'Start-up',
    method: `Time of the import in a new process, ${imports} processes each, alternating. Cost: relative to the dependencies alone, lower is better.`,
    columns: ['Import', 'ms', 'cost'],
    rows: candidates.map((candidate) => [
      candidate.name,
      formatSpread(spreadOf(millis(candidate))),
      formatSpread(spreadOf(ratios(millis(candidate), millis(dependencies)))),
    ]),
    notes: [`Dependencies: ${specifiers.map((specifier) => `\`${specifier}\``).join(', ')}.`],
  }
}
