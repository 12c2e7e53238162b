import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { maxTime, unitOfTime } from '../recording/codec/times.js'
import { invalidRange } from '../recording/codec/errors.js'
import type { InvalidRange } from '../../base/errors/model.js'
import { describeValue } from '../../base/errors/text.js'

/** Validates a time range in ms since the Unix epoch. Equal times are an empty range. */
export const parseRange = (from: number, to: number): Either<InvalidRange, { from: number; to: number }> => {
  const invalid = (problem: string) => left(invalidRange(from, to, problem))
  for (const [name, time] of Object.entries({ from, to })) {
    const unit = typeof time === 'number' ? unitOfTime(time) : undefined
    if (unit !== undefined)
      return invalid(
        `${name}: expected a time in ms since the Unix epoch, got ${time}, which looks like ${unit}`,
      )
    if (typeof time !== 'number' || !(Math.abs(time) <= maxTime))
      return invalid(`${name}: expected a time in ms since the Unix epoch, got ${describeValue(time)}`)
  }
  return from > to
    ? invalid(`from: expected a time before to, got ${from}, which is after ${to}`)
    : right({ from, to })
}
