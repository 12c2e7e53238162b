import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../../package/support/run.js'
import { commandOf, type Check } from '../check.js'
import { judge, type VitestReport } from '../suite/judge.js'
import { knownFailures } from '../suite/known-failures.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const config = 'test/matrix/suite/vitest.config.ts'
const vitest = join(createRequire(import.meta.url).resolve('vitest/package.json'), '../vitest.mjs')

const seed = process.env['TEST_SEED'] ?? String(Date.now() % 2 ** 31)

/** In ms. */
const timeout = 1_200_000

/** Runs the tests of this repository in the runtime, against the packed package. */
export const runSuite: Check = async (subject) => {
  const { runtime, user, temporary } = subject
  const report = join(temporary, 'report.json')
  const [command, ...args] = commandOf(subject, vitest, 'run', '--config', config)
  const variables = { MATRIX_USER: user, MATRIX_REPORT: report, TEST_SEED: seed }
  process.stderr.write(`Seed of the generated cases: ${seed}. TEST_SEED=${seed} repeats them.\n`)
  const { code, stdout, stderr } = await run(command, args, { cwd: root, timeout, variables })
  const text = await readFile(report, 'utf8').catch(() => undefined)
  if (text === undefined) {
    return { text: 'no report', failures: [`exit code ${String(code)}\n${stdout}${stderr}`] }
  }
  const known = knownFailures.filter(
    ({ runtimes, file }) => runtimes.includes(runtime.name) && isSelected(file),
  )
  return judge(JSON.parse(text) as VitestReport, known, root)
}

/** Whether `--folders` selects the file, or is not given. */
const isSelected = (file: string): boolean => {
  const folders = process.env['MATRIX_FOLDERS']?.split(',')
  return folders?.some((folder) => file.startsWith(`test/${folder}/`)) ?? true
}
