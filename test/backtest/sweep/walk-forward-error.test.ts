import { expect, it } from 'vitest'
import { recordingError } from '../../../src/backtest/recording/codec/errors.js'
import {
  sweepError,
  walkForwardError,
  type WalkForwardFault,
} from '../../../src/backtest/sweep/sweep-error.js'

const second = 1000
const hour = 3_600_000
const day = 24 * hour

const error = sweepError(5, {
  why: 'worker',
  cause: { name: 'Error', message: 'no memory', code: undefined },
})
const ranges = { train: { from: 0, to: 2 }, test: { from: 2, to: 3 } }

const tooShort = (recordedMs: number, trainMs: number, testMs: number): WalkForwardFault => ({
  why: 'too short',
  recordedMs,
  trainMs,
  testMs,
})

it.each<[WalkForwardFault, string]>([
  [
    { why: 'train', ...ranges, errors: [error, error] },
    'no parameter has a score in the training range: the worker thread ended: no memory',
  ],
  [{ why: 'test', ...ranges, error }, 'the test range has no result: the worker thread ended: no memory'],
  [{ why: 'recording', error: recordingError('a.ndjson', 3, 'x', []) }, 'line 3 of a.ndjson: '],
  [
    tooShort(3 * hour, 7 * day, day),
    'the recording, 3 h 0 min, is shorter than a window of 7 d of training and 1 d of test',
  ],
  [
    tooShort(59_990, hour, 90 * second),
    'the recording, 59.99 s, is shorter than a window of 1 h 0 min of training and 1 min 30 s of test',
  ],
])('describes %j', (fault, message) => {
  const described = walkForwardError(fault)
  expect(described).toEqual({ _tag: 'WalkForwardError', message: described.message, ...fault })
  expect(described.message).toContain(message)
})
