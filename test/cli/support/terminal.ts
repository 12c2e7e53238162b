import { commandLine, startCommand, type CliProcess } from './command.js'
import type { EnvironmentVariables } from '../../support/process/node-process.js'

/** Size of the terminal, in columns and rows. */
export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

/** Starts the command `svc-streams` on a pseudo-terminal. Its stdout is what the terminal receives. */
export const startOnTerminal = (
  args: readonly string[],
  environment: EnvironmentVariables,
  { columns, rows }: TerminalSize,
): CliProcess => {
  const quoted = commandLine(...args).map((arg) => `'${arg}'`)
  const command = `stty cols ${columns} rows ${rows} && exec ${quoted.join(' ')}`
  return startCommand(['script', '--quiet', '--return', '--command', command, '/dev/null'], {
    TERM: 'xterm-256color',
    ...environment,
  })
}
