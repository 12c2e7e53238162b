const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, .* GMT$/

/** Parses an HTTP date, to ms since the Unix epoch. Returns NaN for any other text. */
export const parseHttpDate = (header: string | undefined): number => {
  const text = (header ?? '').trim()
  // Date.parse accepts nearly any text, for example `-5`.
  return httpDate.test(text) ? Date.parse(text) : NaN
}

/**
 * Parses a `Retry-After` header to a delay in ms. The header contains whole seconds or a date. A date is compared with the
 * service's clock (the `Date` header `date`), or with `now` without one. Returns `undefined` if there is no valid header.
 */
export const parseRetryAfter = (
  header: string | undefined,
  date: string | undefined,
  now: number,
): number | undefined => {
  const text = (header ?? '').trim()
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER)
  const until = parseHttpDate(text)
  if (Number.isNaN(until)) return undefined
  const serviceNow = parseHttpDate(date)
  return Math.max(0, until - (Number.isNaN(serviceNow) ? now : serviceNow))
}
