import { execFile } from 'node:child_process'
import { join } from 'node:path'

export interface Run {
  /** The exit code, or the error code if the command did not start; `null` if a signal ended it, as after the timeout. */
  readonly code: number | string | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd: string
  /** In ms; the command is then killed. Default: 120 000. */
  readonly timeout?: number
  /** Variables that are added to the environment of a user. */
  readonly variables?: Readonly<Record<string, string>>
}

/** The environment variables of this process without those of the test runner. */
export const userEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(?:NODE_ENV|NODE_OPTIONS|NODE_PATH|VITEST.*|TEST.*)$/.test(name),
    ),
  )

/** The path of a command that is installed in a folder. To find it, `npx` uses the CPU for half a second more. */
export const installedCommand = (folder: string, name: string): string =>
  join(folder, 'node_modules/.bin', name)

/** Runs a command until it exits, with any exit code. */
export const run = (
  command: string,
  args: readonly string[],
  { cwd, timeout = 120_000, variables = {} }: RunOptions,
): Promise<Run> =>
  new Promise((resolve) => {
    const settings = { cwd, timeout, maxBuffer: 1e8, env: { ...userEnvironment(), ...variables } }
    const child = execFile(command, args, settings, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code ?? null), stdout, stderr }),
    )
    child.stdin?.end()
  })

/** Runs a command and returns its stdout. Throws unless it exits with 0. */
export const runOrThrow = async (
  command: string,
  args: readonly string[],
  options: RunOptions,
): Promise<string> => {
  const { code, stdout, stderr } = await run(command, args, options)
  if (code === 0) return stdout
  throw new Error(`${command} ${args.join(' ')} exited with ${String(code)}\n${stdout}\n${stderr}`)
}
