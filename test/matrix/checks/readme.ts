import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readPage } from '../../docs/support/block.js'
import { blocksOfPage } from '../../docs/support/markdown.js'
import { install } from '../../package/support/install.js'
import { run, runOrThrow, type Run } from '../../package/support/run.js'
import { commandOf, type Check } from '../check.js'

const page = 'README.md'

/** Saves the programs of the README, and runs the first one and the test of the strategy as the README says. */
export const checkReadme: Check = async (subject) => {
  const { runtime, executable, temporary, tarball } = subject
  const kind = runtime.name.split('@')[0] ?? ''
  const folder = await install(temporary, 'reader', [tarball, 'tsx'])
  await runOrThrow('npm', ['pkg', 'set', 'type=module'], { cwd: folder })
  for (const { file, code } of blocksOfPage(page)) {
    if (file !== undefined) await writeFile(join(folder, file), code)
  }
  const loader = kind === 'node' ? ['--import', 'tsx'] : []
  const [program, ...args] = commandOf(subject, ...loader, 'prices.ts')
  const prices = await run(program, args, { cwd: folder, timeout: 60_000 })
  const command = testCommandOf(kind)
  const test = await run(executable, command.split(' ').slice(1), { cwd: folder, timeout: 60_000 })
  const failures = [
    ...(/^(?:[\d.]+\n){3}$/.test(prices.stdout) ? [] : [describe('prices.ts', prices)]),
    ...(test.code === 0 && onePassed.test(test.stdout + test.stderr) ? [] : [describe(command, test)]),
  ]
  return { text: command.slice(kind.length + 1), failures }
}

/** How the test runners of Node, Deno and Bun count one passed test. */
const onePassed = /\b(?:pass 1|1 pass|1 passed)\b/

/** The command of the README that runs a test: `node … --test …`, `bun test`, `deno test …`. */
const testCommandOf = (kind: string): string => {
  const command = new RegExp(`\`(${kind} [^\`]*\\btest\\b[^\`]*)\``).exec(readPage(page))?.[1]
  if (command === undefined) throw new Error(`${page} has no command that runs a test with ${kind}`)
  return command
}

const describe = (command: string, { code, stdout, stderr }: Run): string =>
  `${command}: exit code ${String(code)}\n${stdout}${stderr}`
