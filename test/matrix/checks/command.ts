import { join } from 'node:path'
import { run } from '../../package/support/run.js'
import { commandOf, type Check } from '../check.js'

/** The command line shows live prices, and ends by itself. */
export const runCommandLine: Check = async (subject) => {
  const file = join(subject.user, 'node_modules/svc-streams/dist/cli/main.js')
  const [command, ...args] = commandOf(subject, file, 'watch', '--simulate', '--duration', '3')
  const { code, stdout, stderr } = await run(command, args, { cwd: subject.user, timeout: 60_000 })
  const prices = stdout.split('\n').filter((line) => /\d{4}\.\d/.test(line)).length
  const isPassed = code === 0 && stderr === '' && prices > 0
  const output = `exit code ${String(code)}\n${stdout}${stderr}`
  return { text: `${prices} prices`, failures: isPassed ? [] : [output] }
}
