import type { Readable, Writable } from 'node:stream'
import { printable } from '../base/errors/text.js'

/** The members of `process` that commands use; a test passes its own object. */
export interface Io {
  readonly stdin: Readable
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly env: Variables
  readonly on: (signal: StopSignal, listener: () => void) => unknown
  readonly off: (signal: StopSignal, listener: () => void) => unknown
}

export type Variables = Readonly<Partial<Record<string, string>>>

/** The signals that stop a command. `SIGBREAK`: Ctrl-Break, which only Windows has. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGBREAK'

/** What a command that serves prints at its start: lines for a shell, that set environment variables. `notes`: more of the server. */
export const summaryText = (
  title: string,
  variables: readonly Variable[],
  notes: readonly string[],
): string =>
  [
    `# ${printable(title)} Paste these lines into another terminal, and start your program there.`,
    ...variables.map(([name, value]) => `export ${name}=${value}`),
    ...notes.map((note) => `# ${printable(note)}`),
    '# Press Ctrl-C to stop it, and again to stop it immediately.\n',
  ].join('\n')

export type Variable = readonly [name: string, value: string]

/** Resolves when the reader closes the pipe, as `head` does. Rejects on any other write error. */
export const outputClosed = (output: Writable): Promise<void> =>
  new Promise((resolve, reject) => {
    // The listener stays: several writes may fail, and an error without a listener ends the process.
    output.on('error', (error: NodeJS.ErrnoException) => (isClosedOutput(error) ? resolve() : reject(error)))
  })

/** Each chunk when the output accepts data. Otherwise, all text that a slow reader has not read would be held in memory. */
export async function* pacedBy<A>(
  output: Pick<Writable, 'writableNeedDrain'> & {
    readonly once: (event: 'drain', listener: () => void) => unknown
  },
  chunks: Iterable<A> | AsyncIterable<A>,
): AsyncGenerator<A, void> {
  for await (const chunk of chunks) {
    if (output.writableNeedDrain) await new Promise<void>((resolve) => output.once('drain', resolve))
    yield chunk
  }
}

/** `EPIPE`, on Windows also `EOF`: the reader has closed the pipe. `EIO`: the terminal is closed. */
export const isClosedOutput = ({ code }: { readonly code?: string | undefined }): boolean =>
  code === 'EPIPE' || code === 'EOF' || code === 'EIO'
