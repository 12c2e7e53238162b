import {
  compiled,
  spawnCommand,
  spawnNode,
  type NodeProcess,
  type Variables,
} from '../../support/process/node-process.js'

/** The command `svc-streams` in its own process. */
export type Command = NodeProcess

export const commandLine = (...args: readonly string[]): readonly [string, ...string[]] => [
  process.execPath,
  compiled('src/cli/main.ts'),
  ...args,
]

export const start = (command: readonly [string, ...string[]], variables: Variables = {}): Command =>
  spawnCommand(command, { variables })

/** What the command printed, and its exit code, once it has ended. */
export const run = async (args: readonly string[], variables: Variables = {}) => {
  const command = spawnNode([compiled('src/cli/main.ts'), ...args], { variables })
  const code = await command.ended()
  return { code, stdout: command.stdout, stderr: command.stderr }
}

/** The variables that `svc-streams simulate` prints for a simulator. */
export const variablesOf = (simulator: {
  readonly baseUrl: string
  readonly priceBaseUrl: string
  readonly priceWsUrl: string
  readonly authKey: string
}) => ({
  SVC_BASE_URL: simulator.baseUrl,
  SVC_PRICE_BASE_URL: simulator.priceBaseUrl,
  SVC_PRICE_WS_URL: simulator.priceWsUrl,
  SVC_AUTH_KEY: simulator.authKey,
})
