const startsWithDay = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/

/** The oldest form of a date, which is in GMT without saying so. */
const endsWithYear = / \d{4}$/

/** A date as HTTP headers carry it, in any of its three forms, in ms since the Unix epoch; NaN where it is none. */
export const parseHttpDate = (header: string | undefined): number => {
  const text = (header ?? '').trim()
  // Date.parse makes a date of nearly anything, `-5` included.
  if (!startsWithDay.test(text)) return NaN
  return Date.parse(endsWithYear.test(text) ? `${text} GMT` : text)
}
