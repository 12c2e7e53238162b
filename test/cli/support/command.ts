import type { EnvironmentVariables } from '../../support/process/environment.js'
import {
  compiledPath,
  programCommand,
  spawnCommand,
  spawnNode,
  type NodeProcess,
} from '../../support/process/node-process.js'

/** The command `svc-streams` in its own process. */
export type CliProcess = NodeProcess

export const commandLine = (...args: readonly string[]): readonly [string, ...string[]] =>
  programCommand('src/cli/main.ts', ...args)

export const startCommand = (
  command: readonly [string, ...string[]],
  environment: EnvironmentVariables = {},
): CliProcess => spawnCommand(command, { environment })

/** Runs the command until it exits. Returns its exit code and its output. */
export const runCommand = async (args: readonly string[], environment: EnvironmentVariables = {}) => {
  const command = spawnNode([compiledPath('src/cli/main.ts'), ...args], { environment })
  const code = await command.waitForExit()
  return { code, stdout: command.stdout, stderr: command.stderr }
}
