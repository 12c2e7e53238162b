import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { until } from '../../simulator/support/dial.js'
import { sourceUrl } from '../../simulator/support/spawn-node.js'

/** The command `svc-streams` in a process of its own. */
export interface Command {
  readonly process: ChildProcess
  readonly stdout: string
  readonly stderr: string
  /** Resolves when it has ended: to its exit code, or the name of the signal that ended it. */
  readonly ended: () => Promise<number | NodeJS.Signals>
}

type Variables = Readonly<Record<string, string>>

/** Only what is given: what the terminal, or the CI, that runs the tests has set must not decide them. */
const environment = (variables: Variables): Variables => {
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(?:SVC_.*|CI|NO_COLOR|FORCE_COLOR|COLUMNS)$/.test(entry[0]),
  )
  return { ...Object.fromEntries(own), ...variables }
}

export const commandLine = (...args: readonly string[]): readonly [string, ...string[]] => [
  process.execPath,
  '--import',
  'tsx',
  fileURLToPath(sourceUrl('cli/main.ts')),
  ...args,
]

export const start = (
  [file, ...args]: readonly [string, ...string[]],
  variables: Variables = {},
): Command => {
  const child = spawn(file, args, {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    env: environment(variables),
  })
  let [stdout, stderr] = ['', '']
  let end: number | NodeJS.Signals | undefined
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  child.on('close', (code, signal) => (end = code ?? signal ?? 'SIGKILL'))
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    process: child,
    get stdout() {
      return stdout
    },
    get stderr() {
      return stderr
    },
    ended: async () => {
      await until(() => end !== undefined)
      return end!
    },
  }
}

/** What the command printed, and its exit code, once it has ended. */
export const run = async (args: readonly string[], variables: Variables = {}) => {
  const command = start(commandLine(...args), variables)
  const code = await command.ended()
  return { code, stdout: command.stdout, stderr: command.stderr }
}

/** The variables that `svc-streams simulate` prints for a simulator. */
export const variablesOf = (simulator: {
  readonly baseUrl: string
  readonly priceBaseUrl: string
  readonly priceWsUrl: string
  readonly authKey: string
}): Variables => ({
  SVC_BASE_URL: simulator.baseUrl,
  SVC_PRICE_BASE_URL: simulator.priceBaseUrl,
  SVC_PRICE_WS_URL: simulator.priceWsUrl,
  SVC_AUTH_KEY: simulator.authKey,
})
