import type { Runtime } from './runtimes.js'

/** What the checks of one runtime use. */
export interface Subject {
  readonly runtime: Runtime
  /** The path of the runtime. */
  readonly executable: string
  /**
   * The folder of a user program: the packed package and its optional peers are installed in it, and `programs` contains
   * test/package/programs.
   */
  readonly user: string
  /** The path of the packed package. */
  readonly tarball: string
  /** A new folder for the files of the checks. */
  readonly temporary: string
}

/** One cell of the table. */
export interface Result {
  /** Counts, or a ratio. */
  readonly text: string
  /** Empty if the check has passed. */
  readonly failures: readonly string[]
}

export type Check = (subject: Subject) => Promise<Result>

/** The command that runs a program on the runtime. */
export const commandOf = (
  { executable, runtime }: Subject,
  ...args: readonly string[]
): readonly [string, ...string[]] => [executable, ...runtime.runArguments, ...args]
