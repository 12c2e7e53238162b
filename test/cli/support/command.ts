import { fileURLToPath } from 'node:url'
import { sourceUrl, spawned, type Spawned } from '../../simulator/support/spawn-node.js'

/** The command `svc-streams` in a process of its own. */
export type Command = Spawned

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

export const start = (command: readonly [string, ...string[]], variables: Variables = {}): Command =>
  spawned(command, environment(variables))

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
