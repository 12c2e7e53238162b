import type { Either } from 'fp-ts/lib/Either.js'
import type { SweepFault } from '../errors/sweep-error.js'
import type { ReplayOptions } from '../recording/replay/replay-options.js'

// What the main thread and a worker thread exchange: data that can be cloned.

/** One parameter, and its position in the list. */
export interface Task {
  readonly index: number
  readonly parameter: unknown
}

/** A file that a worker opens. */
export interface WorkerFile {
  readonly kind: 'path' | 'URL'
  readonly name: string
}

/** What a worker runs: the strategy with each parameter, in one pass over the recording. */
export interface Job {
  readonly files: readonly WorkerFile[]
  readonly replay: ReplayOptions
  /** The URL of the strategy's module. */
  readonly strategy: string
  readonly tasks: readonly Task[]
  /** True if the worker reports how many rows it has played. */
  readonly reportsRows: boolean
}

/** The values of a strategy, and the number of rows that were played until its stream ended. */
export interface Played {
  readonly values: readonly unknown[]
  readonly rows: number
}

/** Marks the messages of the program of the worker threads. */
export const sender = 'svc-streams sweep'

export interface TaskResult {
  readonly _tag: 'Result'
  readonly sender: typeof sender
  readonly index: number
  readonly outcome: Either<SweepFault, Played>
}

/** Rows that the worker has played since its previous report. */
export interface RowsPlayed {
  readonly _tag: 'Rows'
  readonly sender: typeof sender
  readonly rows: number
}

export type WorkerMessage = TaskResult | RowsPlayed
