import { eventually } from '../../support/time/eventually.js'
import type { EnvironmentVariables } from '../../support/process/node-process.js'
import { commandLine, startCommand, type CliProcess } from './command.js'

/** A running `svc-streams gateway`. */
export interface GatewayCommand {
  readonly command: CliProcess
  /** The address that it has printed. */
  readonly url: string
}

/** Starts `svc-streams gateway`. Resolves when it has printed its address. */
export const startGatewayCommand = async (
  args: readonly string[],
  variables: EnvironmentVariables = {},
): Promise<GatewayCommand> => {
  const command = startCommand(commandLine('gateway', ...args), variables)
  await eventually(() => command.stdout.includes('Ctrl-C'))
  return { command, url: /^export SVC_GATEWAY=(\S+)$/m.exec(command.stdout)?.[1] ?? '' }
}
