import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { runOrThrow } from '../../package/support/run.js'
import { commandOf, type Check } from '../check.js'

const repository = fileURLToPath(new URL('../../../', import.meta.url))

const seeds = [1, 2, 3, 4, 5, 6]

/** Prints one line per seed: the seed and the hash of its trace. */
const program = `
import { createHash } from 'node:crypto'
import { runEpisode, scenarioOf } from './test/simulation/search/index.js'

for (const seed of ${JSON.stringify(seeds)}) {
  const { trace } = await runEpisode(scenarioOf(seed), true)
  console.log(seed + ' ' + createHash('sha256').update(trace.join('\\n')).digest('hex'))
}
`

/** The simulation of failures writes the same trace of a seed as on the Node that runs the matrix. */
export const compareTraces: Check = async (subject) => {
  const file = join(subject.temporary, 'traces.mjs')
  await bundleProgram(file)
  const options = { cwd: subject.temporary, timeout: 60_000 }
  const [command, ...args] = commandOf(subject, file)
  const expected = linesOf(await runOrThrow(process.execPath, [file], options))
  const actual = linesOf(await runOrThrow(command, args, options))
  const failures = seeds.flatMap((seed, index) => {
    const isSame = expected[index] !== undefined && actual[index] === expected[index]
    return isSame
      ? []
      : [`seed ${seed}: ${String(actual[index])}, but ${String(expected[index])} on Node ${process.version}`]
  })
  return { text: `${seeds.length} seeds`, failures }
}

const linesOf = (output: string): readonly string[] => output.trim().split('\n')

/** With all packages, because the file is outside of the repository. */
const bundleProgram = async (outfile: string): Promise<void> => {
  await build({
    stdin: { contents: program, resolveDir: repository },
    outfile,
    bundle: true,
    // Paths of the configuration take precedence over packages.
    alias: { 'svc-streams': join(repository, 'src/index.ts') },
    platform: 'node',
    target: 'node20',
    format: 'esm',
    // Defines `require`, which the CommonJS packages in an ES module need for the modules of Node.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
    },
    logLevel: 'silent',
  })
}
