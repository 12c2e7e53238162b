import type { Either } from 'fp-ts/lib/Either.js'
import type { Environment } from '../../base/domain/environment.js'
import type { Costs } from '../account/options.js'
import type { TimeRange } from '../recording/codec/timeline.js'
import type { SweepFault } from './sweep-error.js'

// The messages between the main thread and a worker thread. They can be cloned.

export interface Task {
  readonly index: number
  readonly parameter: unknown
}

/** The job of a worker: it runs the strategy with each parameter, in one pass over the recording. */
export interface Job {
  /** The paths of the files, or their URLs. */
  readonly files: readonly string[]
  readonly environment: Environment
  /** The part whose rows and values count. */
  readonly range: TimeRange
  /** Length of the data that are played before the part, or else at the start of the recording, and do not count, in ms. Default: that of the account. */
  readonly warmUp: number | undefined
  /** The URL of the strategy's module. */
  readonly strategy: string
  /** True if the accounts close their positions at the end. Default: false. */
  readonly endsFlat?: boolean
  /** True if the value of an account is a `KeptFold`. Default: false. */
  readonly keepsTrades?: boolean
  /** Override those of the strategy's options. */
  readonly costs?: Costs
  readonly tasks: readonly Task[]
}

/** The values of a strategy, and the number of rows that were played until its stream ended. */
export interface Played {
  readonly values: readonly unknown[]
  readonly rows: number
}

export interface TaskResult {
  readonly _tag: 'Result'
  readonly index: number
  readonly outcome: Either<SweepFault, Played>
}
