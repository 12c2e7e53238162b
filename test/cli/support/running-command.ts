import type { Writable } from 'node:stream'
import type { StopSignal } from '../../../src/cli/io.js'

/** A command that runs, in the process of the test or in one of its own. */
export interface RunningCommand {
  readonly process: {
    readonly kill: (signal: StopSignal) => unknown
    readonly stdin: Writable | null
  }
  readonly stdout: string
  readonly stderr: string
  /** Both streams, in the order of arrival. */
  readonly output: string
  readonly waitForExit: () => Promise<number | NodeJS.Signals>
}
