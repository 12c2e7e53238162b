import { execFile } from 'node:child_process'

export interface Run {
  readonly code: number | string | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd: string
  /** In ms. Default: two minutes. */
  readonly timeout?: number
}

/** The environment of a user's shell: without what the test runner adds to it. */
export const plainEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(?:NODE_ENV|NODE_OPTIONS|NODE_PATH|VITEST.*|TEST.*)$/.test(name),
    ),
  )

/** Runs a command to its end, which may be any: `code` is `null` where it had to be killed. */
export const run = (command: string, args: readonly string[], options: RunOptions): Promise<Run> =>
  new Promise((resolve) => {
    const settings = { timeout: 120_000, maxBuffer: 1e8, env: plainEnvironment(), ...options }
    const child = execFile(command, args, settings, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code ?? null), stdout, stderr }),
    )
    child.stdin?.end()
  })

/** Runs a command that must end well, and gives what it wrote. */
export const runWell = async (
  command: string,
  args: readonly string[],
  options: RunOptions,
): Promise<string> => {
  const { code, stdout, stderr } = await run(command, args, options)
  if (code === 0) return stdout
  throw new Error(`${command} ${args.join(' ')} ended with ${String(code)}\n${stdout}\n${stderr}`)
}
