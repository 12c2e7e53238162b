import { eventually } from '../../support/time/eventually.js'
import type { RunningCommand } from './running-command.js'

/** A running `svc-streams gateway`. */
export interface GatewayCommand<C extends RunningCommand> {
  readonly command: C
  /** The address that it has printed. */
  readonly url: string
}

export const waitForAddress = async <C extends RunningCommand>(command: C): Promise<GatewayCommand<C>> => {
  await eventually(() => command.stdout.includes('Ctrl-C'))
  return { command, url: /^export SVC_GATEWAY=(\S+)$/m.exec(command.stdout)?.[1] ?? '' }
}
