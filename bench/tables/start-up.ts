import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { withChild } from '../process/child.js'
import { costOfProgram } from '../process/cost-of-program.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'
import { writeDependenciesOnly } from '../setup/entry-point-dependencies.js'

interface Candidate {
  readonly name: string
  /** Its time in ms, in a new process. */
  readonly measure: () => Promise<number>
}

/** Imports a module in a new process, and returns the time in ms. */
const importTime = (module: string) => () =>
  withChild('programs/import-time.mjs', (child) => child.request<number>('import', { module }))

const dependencies: Candidate = {
  name: 'import of the dependencies alone',
  measure: importTime('dependencies-only.js'),
}

const cpuOf =
  (program: string, args: readonly string[] = []) =>
  async (): Promise<number> =>
    (await costOfProgram(program, args)).cpuMs

const candidates: readonly Candidate[] = [
  dependencies,
  { name: 'import of **svc-streams**', measure: importTime('index.js') },
  { name: 'an empty program (CPU)', measure: cpuOf('programs/empty.mjs') },
  ...['--version', '--help', 'watch --help'].map((args) => ({
    name: `**svc-streams ${args}** (CPU)`,
    measure: cpuOf('node_modules/.build/cli/main.js', args.split(' ')),
  })),
]

/** The import of the main entry point, compared with its dependencies alone, and the CPU time of two commands. */
export const startUp = async ({ imports }: Settings): Promise<Section> => {
  const specifiers = await writeDependenciesOnly()
  const measured = await inRounds(imports, candidates, ({ measure }) => measure())
  const millis = (candidate: Candidate) => valuesOf(measured, candidate, (value) => value)
  return {
    method: `Time of the import, and CPU time of a command from start to exit, in a new process, ${imports} processes each, alternating. Cost: relative to the import of the dependencies alone, lower is better.`,
    columns: ['Start', 'ms', 'cost'],
    rows: candidates.map((candidate) => [
      candidate.name,
      formatSpread(spreadOf(millis(candidate))),
      formatSpread(spreadOf(ratios(millis(candidate), millis(dependencies)))),
    ]),
    notes: [
      `Dependencies: ${specifiers.map((specifier) => `\`${specifier}\``).join(', ')}. The import of svc-streams does not load undici: the first request does.`,
    ],
  }
}
