import type { Readable } from 'node:stream'

/**
 * What a command shares with the shell that has started it: the standard streams, the environment variables and the
 * signals. `process` in the program; a test passes its own.
 */
export interface Io {
  readonly stdin: Readable
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly env: Variables
  readonly on: (signal: StopSignal, listener: () => void) => unknown
  readonly off: (signal: StopSignal, listener: () => void) => unknown
}

export type Variables = Readonly<Partial<Record<string, string>>>

/** The signals that stop a command. */
export type StopSignal = 'SIGINT' | 'SIGTERM'
