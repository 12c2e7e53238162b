import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const projectRoot = fileURLToPath(new URL('../../', import.meta.url))

/** Runs a command in the project's root. Its output goes to stderr. */
export const runCommand = async (command: string, args: readonly string[]): Promise<void> => {
  const child = spawn(command, args, { cwd: projectRoot, stdio: ['ignore', process.stderr, process.stderr] })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} exited with ${String(code)}`)
}
