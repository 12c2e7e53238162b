import { join } from 'node:path'
import { bundle, bundledPrograms } from '../../package/support/bundle.js'
import { run } from '../../package/support/run.js'
import { commandOf, type Check } from '../check.js'

/** A live program in a bundle with all its packages, as CommonJS and as an ES module, without the installed package. */
export const checkBundles: Check = async (subject) => {
  const failures: string[] = []
  // Outside of the user's folder, so that no package can be resolved.
  const folder = join(subject.temporary, 'bundles')
  for (const program of bundledPrograms) {
    await bundle(subject.user, folder, program)
    const [command, ...args] = commandOf(subject, program[0])
    const { code, stdout, stderr } = await run(command, args, { cwd: folder, timeout: 60_000 })
    const isPassed = code === 0 && stdout.includes('"recorded":') && stderr === ''
    if (!isPassed) failures.push(`${program[0]}: exit code ${String(code)}\n${stdout}${stderr}`)
  }
  return { text: bundledPrograms.map(([, format]) => format).join(' and '), failures }
}
