import { sourceByEntryPoint } from '../../../scripts/entry-points.js'
import { run, type Run } from '../../package/support/run.js'
import { entryPoints } from '../../package/support/packed.js'
import type { Check, Subject } from '../check.js'

/** Every entry point, by `import` and by `require`; a live program; one copy of each peer. */
export const checkImports: Check = async (subject) => {
  const failures: string[] = []
  for (const entryPoint of entryPoints) {
    const source = (await import(`../../../${sourceByEntryPoint.get(entryPoint)!}`)) as object
    const expected = JSON.stringify(Object.keys(source).sort())
    for (const loader of ['import.mjs', 'require.cjs']) {
      const result = await runProgram(subject, `exports-by-${loader}`, entryPoint)
      const isPassed = result.code === 0 && result.stdout.trim() === expected && result.stderr === ''
      if (!isPassed) failures.push(describe(`${entryPoint} by ${loader}`, result))
    }
  }
  const programs = ['live.mjs', 'live.cjs', 'instances.mjs', 'marbles.mjs']
  for (const program of programs) {
    const result = await runProgram(subject, program)
    const isPassed = result.code === 0 && !result.stdout.includes('false') && result.stderr === ''
    if (!isPassed) failures.push(describe(program, result))
  }
  return { text: `${entryPoints.length} doors`, failures }
}

const runProgram = (subject: Subject, program: string, ...args: readonly string[]): Promise<Run> =>
  run(subject.executable, [...subject.runtime.runArguments, `programs/${program}`, ...args], {
    cwd: subject.user,
    timeout: 60_000,
  })

const describe = (title: string, { code, stdout, stderr }: Run): string =>
  `${title}: exit code ${String(code)}\n${stdout}${stderr}`
