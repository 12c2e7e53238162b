import { InvalidArgumentError } from 'commander'

/** A date, or a date and a time with its zone. Without a zone, the meaning would depend on the machine. */
const isoTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/

/** Year 1973 in ms, and 5138 in seconds: a smaller number is a time in seconds. */
const earliestMs = 1e11

/** Parses a time: ISO 8601, or ms since the Unix epoch. Returns ms since the Unix epoch. */
export const parseTime = (text: string): number => {
  const isUnixNumber = /^\d{1,15}$/.test(text)
  const time = isoTime.test(text) ? Date.parse(text) : isUnixNumber ? Number(text) : NaN
  if (isUnixNumber && time < earliestMs) {
    throw new InvalidArgumentError('expected an ISO time or Unix ms; this looks like seconds')
  }
  if (!Number.isNaN(time)) return time
  throw new InvalidArgumentError('Give a time like 2026-11-22T10:00:00Z, or ms since the Unix epoch.')
}
