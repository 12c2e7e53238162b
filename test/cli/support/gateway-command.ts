import type { EnvironmentVariables } from '../../support/process/environment.js'
import { commandLine, startCommand, type CliProcess } from './command.js'
import { waitForAddress, type GatewayCommand } from './gateway-address.js'

/** Starts `svc-streams gateway` as a process. Resolves when it has printed its address. */
export const startGatewayCommand = (
  args: readonly string[],
  variables: EnvironmentVariables = {},
): Promise<GatewayCommand<CliProcess>> =>
  waitForAddress(startCommand(commandLine('gateway', ...args), variables))
