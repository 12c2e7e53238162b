import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { install } from '../package/support/install.js'
import { pack } from '../package/support/pack.js'
import { optionalPeers } from '../package/support/packed.js'
import type { Check, Result, Subject } from './check.js'
import { measureRatio } from './checks/benchmark.js'
import { runCommandLine } from './checks/command.js'
import { checkBundles } from './checks/bundles.js'
import { checkImports } from './checks/imports.js'
import { checkReadme } from './checks/readme.js'
import { runSuite } from './checks/suite.js'
import { compareTraces } from './checks/traces.js'
import { checkTypes } from './checks/types.js'
import { installRuntime } from './install-runtime.js'
import { renderTable } from './render-table.js'
import { selectRuntimes, runtimes, type Runtime } from './runtimes.js'
import { notRun } from './suite/not-run.js'

// Installs the packed package and runs it on each supported runtime. Prints one table; exits with 1 if a cell has failed.
// `-- --only node@26,bun` selects runtimes, `-- --checks imports,types` selects checks, `-- --folders promises,client`
// selects folders of test/ for the suite.

const checks: Readonly<Record<string, Check>> = {
  imports: checkImports,
  bundles: checkBundles,
  types: checkTypes,
  readme: checkReadme,
  command: runCommandLine,
  traces: compareTraces,
  suite: runSuite,
  benchmark: measureRatio,
}

const text = { type: 'string' } as const
const { values } = parseArgs({ options: { only: text, checks: text, folders: text } })
const selected = values.only === undefined ? runtimes : selectRuntimes(values.only)
const columns = values.checks?.split(',') ?? Object.keys(checks)
for (const name of columns) {
  if (checks[name] !== undefined) continue
  throw new Error(`unknown check ${name}: expected ${Object.keys(checks).join(', ')}`)
}

if (values.folders !== undefined) process.env['MATRIX_FOLDERS'] = values.folders

const repository = fileURLToPath(new URL('../../', import.meta.url))
const programs = fileURLToPath(new URL('../package/programs', import.meta.url))

const main = async (root: string): Promise<boolean> => {
  const tarball = await pack(repository, root)
  const failures: string[] = []
  const rows: string[][] = []
  for (const runtime of selected) {
    const subject = await prepare(runtime, root, tarball)
    const row = [`${runtime.name} (${runtime.version})`]
    for (const column of columns) {
      const { text, failures: found } = await runCheck(checks[column], subject)
      process.stderr.write(`${runtime.name} ${column}: ${text}\n`)
      row.push(text)
      failures.push(...found.map((failure) => `${runtime.name} ${column}: ${failure}`))
    }
    rows.push(row)
  }
  for (const failure of failures) console.log(`FAILED ${failure}\n`)
  console.log(renderTable(['runtime', ...columns], rows))
  if (columns.includes('suite')) console.log(`\nNot part of the suite:\n${notRun.map(describe).join('\n')}`)
  return failures.length === 0
}

const describe = ({ files, reason }: (typeof notRun)[number]): string => `  ${files}: ${reason}`

const prepare = async (runtime: Runtime, root: string, tarball: string): Promise<Subject> => {
  const executable = await installRuntime(runtime)
  const temporary = await mkdtemp(join(root, 'runtime-'))
  const user = await install(temporary, 'user', [tarball, ...Object.values(optionalPeers)])
  await cp(programs, join(user, 'programs'), { recursive: true })
  return { runtime, executable, user, tarball, temporary }
}

/** Adds the duration and the outcome. A check that throws has failed. */
const runCheck = async (check: Check | undefined, subject: Subject): Promise<Result> => {
  const start = performance.now()
  const { text, failures } = await (check?.(subject) ?? Promise.reject(new Error('no such check'))).catch(
    (error: unknown): Result => ({ text: 'error', failures: [String(error)] }),
  )
  const seconds = Math.round((performance.now() - start) / 1000)
  const outcome = failures.length === 0 ? 'ok' : `${failures.length} FAILED`
  return { text: `${outcome}: ${text}, ${seconds} s`, failures }
}

const root = await mkdtemp(join(tmpdir(), 'svc-streams-'))
try {
  process.exitCode = (await main(root)) ? 0 : 1
} finally {
  await rm(root, { recursive: true, force: true })
}
