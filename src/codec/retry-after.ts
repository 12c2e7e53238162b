import { parseHttpDate } from './http-date.js'

/**
 * What a `Retry-After` header asks to wait, in ms: whole seconds, or a date, which is read against the service's
 * own clock (`Date`) where it tells it. `undefined` where there is none or it says nothing.
 */
export const parseRetryAfter = (
  header: string | undefined,
  date: string | undefined,
  now: number,
): number | undefined => {
  const text = (header ?? '').trim()
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1000
  const until = parseHttpDate(text)
  if (Number.isNaN(until)) return undefined
  const serviceNow = parseHttpDate(date)
  return Math.max(0, until - (Number.isNaN(serviceNow) ? now : serviceNow))
}
