import { causeOf, isTagged } from '../../base/errors/failure-cause.js'
import type { FailureCause, RecordingError, Tagged } from '../../base/errors/model.js'
import { oneLine } from '../../base/errors/text.js'
import { formatDuration } from '../../view/format.js'

/** Why a parameter of a sweep has no result. */
export type SweepFault =
  | {
      /**
       * - `module`: the module of the strategy cannot be imported, or its default export is not a function.
       * - `strategy`: the strategy has thrown, or its stream has failed.
       * - `worker`: the worker thread ended: an uncaught exception, `process.exit`, or no memory left.
       * - `score`, only in `walkForward$`: the score of the values is not a finite number, or the function `score` has thrown.
       */
      readonly why: 'module' | 'strategy' | 'worker' | 'score'
      readonly cause: FailureCause
    }
  | {
      /** A value of the strategy cannot be cloned, such as a function. */
      readonly why: 'value'
      /** Position of the value among the values of the parameter, from 0. */
      readonly index: number
      readonly cause: FailureCause
    }
  | {
      /** The recording cannot be read, or is damaged before the end of the strategy's stream. */
      readonly why: 'recording'
      readonly error: RecordingError
    }

/** A parameter of a sweep has no result. */
export type SweepError<P = unknown> = SweepFault &
  Tagged<'SweepError'> & {
    /** The parameter, as given to `sweep`. */
    readonly parameter: P
  }

export const sweepError = <P>(parameter: P, fault: SweepFault): SweepError<P> => ({
  _tag: 'SweepError',
  message: describeFault(fault),
  parameter,
  ...fault,
})

const describeFault = (fault: SweepFault): string => {
  switch (fault.why) {
    case 'value':
      return `value ${fault.index} of the strategy cannot be cloned: ${fault.cause.message}`
    case 'recording':
      return fault.error.message
    case 'module':
      return `the strategy cannot be loaded: ${fault.cause.message}`
    case 'strategy':
      return `the strategy failed: ${strategyText(fault.cause)}`
    case 'worker':
      return `the worker thread ended: ${fault.cause.message}`
    case 'score':
      return `the values have no score: ${fault.cause.message}`
  }
}

/** The message of the error of a strategy, after the class of the error, such as `TypeError`. `Error` is left out. */
export const strategyText = ({ name, message }: FailureCause): string =>
  /^(?:Configuration)?Error$/.test(name) ? message : `${oneLine(name)}: ${message}`

/** The cause of a failed strategy. It may be an error of the client, because `orThrow` throws these. */
export const strategyFault = (thrown: unknown) => ({
  why: 'strategy' as const,
  cause:
    !(thrown instanceof Error) && isTagged(thrown)
      ? { name: thrown._tag, message: oneLine(thrown.message), code: undefined }
      : causeOf(thrown),
})

/** A part of a recording, by the `at` of its rows, in ms since the Unix epoch. `from` is inclusive, `to` exclusive. */
export interface WindowRange {
  readonly from: number
  readonly to: number
}

/** The ranges of a window. */
export interface WindowRanges {
  /** The range in which the parameter is chosen. */
  readonly train: WindowRange
  /** The range of the values, the summary and the score. It starts where the training range ends. */
  readonly test: WindowRange
}

/** Why a walk-forward, or a window of it, has no result. */
export type WalkForwardFault<P = unknown> =
  | (WindowRanges & {
      /** No parameter has a score in the training range. */
      readonly why: 'train'
      /** One error per parameter, in the order of the parameters. */
      readonly errors: readonly SweepError<P>[]
    })
  | (WindowRanges & {
      /** The chosen parameter has no score in the test range. */
      readonly why: 'test'
      readonly error: SweepError<P>
    })
  | {
      /** The recording is shorter than one window. There are no further events. */
      readonly why: 'too short'
      /** Length of the recording, or of the part between `from` and `to`, in ms. */
      readonly recordedMs: number
      readonly trainMs: number
      readonly testMs: number
    }
  | {
      /** The recording cannot be read. There are no further events. */
      readonly why: 'recording'
      readonly error: RecordingError
    }

/** A walk-forward, or a window of it, has no result. */
export type WalkForwardError<P = unknown> = WalkForwardFault<P> & Tagged<'WalkForwardError'>

export const walkForwardError = <P>(fault: WalkForwardFault<P>): WalkForwardError<P> => ({
  _tag: 'WalkForwardError',
  message: describeWalkForwardFault(fault),
  ...fault,
})

const describeWalkForwardFault = (fault: WalkForwardFault): string => {
  switch (fault.why) {
    case 'train':
      return `no parameter has a score in the training range: ${fault.errors[0]?.message ?? 'there is none'}`
    case 'test':
      return `the test range has no result: ${fault.error.message}`
    case 'too short': {
      const { recordedMs, trainMs, testMs } = fault
      const parts = `${formatDuration(trainMs)} of training and ${formatDuration(testMs)} of test`
      return `the recording, ${formatDuration(recordedMs)}, is shorter than a window of ${parts}`
    }
    case 'recording':
      return fault.error.message
  }
}
