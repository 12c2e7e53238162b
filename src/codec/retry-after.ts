import { parseHttpDate } from './http-date.js'

/**
 * Parses a `Retry-After` header to a delay in ms. The header contains whole seconds or a date. A date is compared with
 * the service's clock (the `Date` header `date`), or with `now` without one. Returns `undefined` if there is no valid
 * header.
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
