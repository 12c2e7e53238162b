import type { EnvironmentVariables } from '../../support/process/environment.js'
import { waitForAddress, type GatewayCommand } from './gateway-address.js'
import { startInProcess } from './in-process.js'
import type { RunningCommand } from './running-command.js'

/** Starts `svc-streams gateway` in the process of the test. Resolves when it has printed its address. */
export const startGatewayInProcess = (
  args: readonly string[],
  variables: EnvironmentVariables = {},
): Promise<GatewayCommand<RunningCommand>> => waitForAddress(startInProcess(['gateway', ...args], variables))
