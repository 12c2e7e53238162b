import { assertNever } from '../domain/assert-never.js'
import type { RecordingError, Tagged } from './model.js'
import type { SweepError } from './sweep-error.js'

/** A part of a recording, by the `at` of its rows, in ms since the Unix epoch. `from` is inclusive, `to` exclusive. */
export interface WindowRange {
  readonly from: number
  readonly to: number
}

/** Why a walk-forward, or a window of it, has no result. */
export type WalkForwardFault<P = unknown> =
  | {
      /** No parameter has a score in the training range. */
      readonly why: 'train'
      readonly train: WindowRange
      readonly test: WindowRange
      /** One error per parameter, in the order of the parameters. */
      readonly errors: readonly SweepError<P>[]
    }
  | {
      /** The chosen parameter has no score in the test range. */
      readonly why: 'test'
      readonly train: WindowRange
      readonly test: WindowRange
      readonly error: SweepError<P>
    }
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
  message: describeFault(fault),
  ...fault,
})

const describeFault = (fault: WalkForwardFault): string => {
  switch (fault.why) {
    case 'train':
      return `no parameter has a score in the training range: ${fault.errors[0]?.message ?? 'there is none'}`
    case 'test':
      return `the test range has no result: ${fault.error.message}`
    case 'too short':
      return describeLengths(fault.recordedMs, fault.trainMs, fault.testMs)
    case 'recording':
      return fault.error.message
    default:
      return assertNever(fault)
  }
}

const describeLengths = (recordedMs: number, trainMs: number, testMs: number): string =>
  `the recording is ${lengthText(recordedMs)} long, shorter than a window of ${lengthText(trainMs + testMs)}: ` +
  `${lengthText(trainMs)} of training and ${lengthText(testMs)} of test`

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const

/** The two largest units of a duration, rounded down: `7 d 23 h`, `1 d`, `59 s 990 ms`. */
const lengthText = (ms: number): string => {
  const largest = units.findIndex(([, length]) => ms >= length)
  if (largest < 0) return '0 ms'
  let rest = ms
  const parts = units.slice(largest, largest + 2).map(([unit, length]) => {
    const count = Math.floor(rest / length)
    rest -= count * length
    return count === 0 ? '' : `${count} ${unit}`
  })
  return parts.filter((part) => part !== '').join(' ')
}
