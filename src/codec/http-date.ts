const startsWithDay = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/

/** The asctime form, which is in GMT but has no time zone in its text. */
const endsWithYear = / \d{4}$/

/** Parses an HTTP date in any of its three forms, to ms since the Unix epoch. Returns NaN for any other text. */
export const parseHttpDate = (header: string | undefined): number => {
  const text = (header ?? '').trim()
  // Date.parse accepts nearly any text, for example `-5`.
  if (!startsWithDay.test(text)) return NaN
  return Date.parse(endsWithYear.test(text) ? `${text} GMT` : text)
}
