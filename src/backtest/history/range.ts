import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { isRecordedTime, unitHint } from '../recording/codec/times.js'
import { invalidRange } from '../recording/codec/errors.js'
import type { InvalidRange } from '../../base/errors/model.js'
import { describeValue } from '../../base/errors/text.js'
import { plainObject } from '../../base/option-kinds/option.js'

/** A time, in ms since the Unix epoch. */
export interface HistoryRange {
  /** Inclusive. */
  readonly from: number
  /** Exclusive. Default: the time of the subscription, including its millisecond. */
  readonly to?: number
}

export const parseGivenRange = (range: HistoryRange): Either<InvalidRange, HistoryRange> => {
  if (!plainObject.holds(range)) {
    const problem = `range: expected an object like { from, to }, got ${describeValue(range)}`
    return left(invalidRange(undefined, undefined, problem))
  }
  const times = parseRange(range.from, range.to ?? range.from)
  return isLeft(times) ? times : right(range)
}

/** Validates a time range in ms since the Unix epoch. Equal times are an empty range. */
export const parseRange = (from: number, to: number): Either<InvalidRange, { from: number; to: number }> => {
  const invalid = (problem: string) => left(invalidRange(from, to, problem))
  for (const [name, time] of Object.entries({ from, to })) {
    if (typeof time !== 'number' || !isRecordedTime(time))
      return invalid(
        `${name}: expected a time in ms since the Unix epoch, got ${describeValue(time)}${unitHint(time)}`,
      )
  }
  return from > to
    ? invalid(`from: expected a time before to, got ${from}, which is after ${to}`)
    : right({ from, to })
}
