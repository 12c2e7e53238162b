import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { sourceByEntryPoint } from './scripts/entry-points.js'
import { aloneFolders } from './test/support/run/alone.js'
import { isHeavy } from './test/support/run/heavy.js'
import { LongestFirst } from './test/support/run/longest-first.js'
import { imports, startsProcesses } from './test/support/run/needs.js'
import { ShortReporter } from './test/support/run/short-reporter.js'

/** Vitest separates folders by `/` on every system. */
const withSlashes = (path: string): string => path.replaceAll(sep, '/')

const root = withSlashes(fileURLToPath(new URL('.', import.meta.url)))

/** The entry points of the package, resolved to the sources. */
export const resolve = {
  alias: [...sourceByEntryPoint].map(([name, source]) => ({
    find: new RegExp(`^${name}$`),
    replacement: `${root}${source.slice('./'.length)}`,
  })),
}

const report = process.env['TEST_REPORT']

/** Adds a JSON report if the environment names a file for it. */
export const reporting = {
  reporters: [
    new ShortReporter({ silent: 'passed-only' }),
    ...(report === undefined ? [] : [['json', { outputFile: report }] as ['json', { outputFile: string }]]),
  ],
}

/** Types and the packed package have configurations of their own: `npm run test:types`, `npm run test:package`. */
const files = readdirSync(`${root}test`, { recursive: true, encoding: 'utf8' })
  .map(withSlashes)
  .filter((file) => file.endsWith('.test.ts') && !file.startsWith('package/'))
  .map((file) => `test/${file}`)

/** The share of the generated cases in `npm test`. */
const sampleShare = 0.05

const isLongOnly = (file: string): boolean => file.endsWith('.long.test.ts') || isHeavy(file)

export default defineConfig(({ mode }) => {
  // `npm run test:soak` sets the mode: the long tests, and all generated cases where `npm test` takes a sample.
  // Vitest evaluates this again for each project, without the mode: the environment keeps what the first one decided.
  if (mode === 'long') process.env['TEST_LONG'] = 'true'
  const isLong = process.env['TEST_LONG'] === 'true'
  // Nobody's `npm test` fails by chance; the long tests look for new cases.
  process.env['TEST_SEED'] ??= isLong ? String(Date.now() % 2 ** 31) : '1'
  const seed = Number(process.env['TEST_SEED'])
  const caseShare = isLong ? Number(process.env['TEST_CASES'] ?? 1) : sampleShare
  // `npm test` has run the other files with the same cases.
  const hasMoreCases = (file: string): boolean =>
    caseShare > sampleShare && imports(root + file, /support\/run\/long\.js'/)
  const selected = files.filter((file) =>
    isLong ? isLongOnly(file) || hasMoreCases(file) : !isLongOnly(file),
  )
  const runsAlone = (file: string): boolean =>
    aloneFolders.some((folder) => file.startsWith(`test/${folder}/`)) && !startsProcesses(root + file)

  return {
    resolve,
    test: {
      provide: { isLong, seed, caseShare },
      setupFiles: ['test/support/run/setup.ts'],
      sequence: { sequencer: LongestFirst },
      // The sources are imported once a worker: importing them for each file takes longer than most tests.
      isolate: false,
      // A second run of a file starts a second earlier.
      experimental: { fsModuleCache: true },
      // Many tests wait for sockets and processes: more workers than cores, on two cores.
      maxWorkers: Math.max(6, availableParallelism()),
      // Every wait is for a condition: only a test that fails takes this long. A long property takes half a minute when idle.
      testTimeout: isLong ? 300_000 : 60_000,
      projects: [
        {
          extends: true as const,
          test: { name: 'alone', include: selected.filter(runsAlone), isolate: true },
        },
        // One project: each worker of each project imports the sources, and Vitest runs one project after the other.
        {
          extends: true as const,
          test: {
            name: 'together',
            include: selected.filter((file) => !runsAlone(file)),
            globalSetup: ['test/support/run/print-seed.ts', 'test/support/run/prepare.ts'],
          },
        },
      ],
      coverage: { include: ['src/**'], reporter: ['text-summary', 'text'] },
      ...reporting,
    },
  }
})
