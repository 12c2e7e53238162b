import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { aloneFolders } from './test/support/run/alone.js'

const root = new URL('.', import.meta.url).pathname

/** The entry points of the package, resolved to the sources. */
export const resolve = {
  alias: [
    { find: /^svc-streams$/, replacement: `${root}src/index.ts` },
    { find: /^svc-streams\/browser$/, replacement: `${root}src/browser.ts` },
    { find: /^svc-streams\/(\w+)$/, replacement: `${root}src/$1/index.ts` },
  ],
}

/** Adds a JSON report if the environment names a file for it. */
const report = process.env['TEST_REPORT']

export const reporting =
  report === undefined ? {} : { reporters: ['default', 'json'], outputFile: { json: report } }

/** Types and the packed package have configurations of their own: `npm run test:types`, `npm run test:package`. */
const files = readdirSync(`${root}test`, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts') && !file.startsWith('package/'))
  .map((file) => `test/${file}`)

const imports = (file: string, module: RegExp): boolean => module.test(readFileSync(root + file, 'utf8'))

const isLongOnly = (file: string): boolean => file.endsWith('.long.test.ts')

export default defineConfig(({ mode }) => {
  // `npm run test:soak` sets the mode: the long tests, and all generated cases where `npm test` takes a sample.
  // Vitest evaluates this again for each project, without the mode: the environment keeps what the first one decided.
  if (mode === 'long') process.env['TEST_LONG'] = 'true'
  const isLong = process.env['TEST_LONG'] === 'true'
  // Nobody's `npm test` fails by chance; the long tests look for new cases.
  process.env['TEST_SEED'] ??= isLong ? String(Date.now() % 2 ** 31) : '1'
  const seed = Number(process.env['TEST_SEED'])
  const selected = isLong
    ? files.filter((file) => isLongOnly(file) || imports(file, /support\/run\/long\.js'/))
    : files.filter((file) => !isLongOnly(file))
  const startsProcesses = (file: string): boolean =>
    imports(
      file,
      /(?:node-process|nats-server|start-fleet|command|support\/terminal|user-folder|run-sweep)\.js'/,
    )
  const opensPages = (file: string): boolean => /^test\/(?:browser|dashboard\/page)\//.test(file)
  const runsAlone = (file: string): boolean =>
    aloneFolders.some((folder) => file.startsWith(`test/${folder}/`)) && !startsProcesses(file)

  return {
    resolve,
    test: {
      provide: { isLong, seed },
      setupFiles: ['test/support/run/setup.ts'],
      // The sources are imported once a worker: importing them for each file takes longer than most tests.
      isolate: false,
      // Many tests wait for sockets and processes: twice as many workers as cores, on two cores.
      maxWorkers: Math.max(4, availableParallelism()),
      // Every wait is for a condition: only a test that fails takes this long.
      testTimeout: 60_000,
      projects: [
        {
          extends: true as const,
          test: {
            name: 'in process',
            include: selected.filter(
              (file) => !startsProcesses(file) && !opensPages(file) && !runsAlone(file),
            ),
            globalSetup: ['test/support/run/print-seed.ts'],
          },
        },
        {
          extends: true as const,
          test: { name: 'alone', include: selected.filter(runsAlone), isolate: true },
        },
        {
          extends: true as const,
          test: {
            name: 'in a browser',
            include: selected.filter(opensPages),
            globalSetup: ['test/browser/support/start-chromium.ts', 'test/support/process/compiled-copy.ts'],
          },
        },
        {
          extends: true as const,
          test: {
            name: 'with processes',
            include: selected.filter((file) => startsProcesses(file) && !opensPages(file)),
            globalSetup: ['test/support/process/compiled-copy.ts'],
          },
        },
      ],
      coverage: { include: ['src/**'], reporter: ['text-summary', 'text'] },
      ...reporting,
    },
  }
})
