/** The latest time of a `Date`, in ms since the Unix epoch; the earliest time is its negative. */
export const maxTime = 8.64e15

/** For a `receivedAt` and the `timestamp` of a depth, in ms since the Unix epoch: the clocks of the client and the service may be wrong. */
export const isValueTime = (time: number): boolean => Math.abs(time) <= Number.MAX_SAFE_INTEGER

/** True for the number of a connection, from 1, and for 0, of a price over HTTP. */
export const isEpoch = (epoch: number): boolean => Number.isSafeInteger(epoch) && epoch >= 0

/** The unit of a time that is not in ms, because it would be shortly after 1970, or after the year 5138. `undefined` for any other time. */
export const unitOfTime = (time: number): 'seconds' | 'microseconds' | 'nanoseconds' | undefined => {
  if (time >= 1e8 && time < 1e11) return 'seconds'
  if (time >= 1e14 && time < 1e17) return 'microseconds'
  return time >= 1e17 && time < 1e20 ? 'nanoseconds' : undefined
}

/** For the end of a message about a time: `, which looks like seconds`. Empty for a time in no other unit. */
export const unitHint = (time: unknown): string => {
  const unit = typeof time === 'number' ? unitOfTime(time) : undefined
  return unit === undefined ? '' : `, which looks like ${unit}`
}

/** True for the time of a line in ms since the Unix epoch. Timers cannot add 1 ms to a number that is much larger. */
export const isRecordedTime = (time: number): boolean =>
  Math.abs(time) <= maxTime && unitOfTime(time) === undefined
