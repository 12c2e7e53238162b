const startsWithDay = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/

/**
 * What a `Retry-After` header asks to wait, in ms: whole seconds, or a date, which is read against the service's
 * own clock (`Date`) where it tells it. `undefined` where there is none or it says nothing.
 */
export const retryAfterMs = (
  header: string | undefined,
  date: string | undefined,
  now: number,
): number | undefined => {
  if (header === undefined) return undefined
  const text = header.trim()
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1000
  // Date.parse makes a date of nearly anything, `-5` included.
  const until = startsWithDay.test(text) ? Date.parse(text) : NaN
  if (Number.isNaN(until)) return undefined
  const serviceNow = Date.parse(date ?? '')
  return Math.max(0, until - (Number.isNaN(serviceNow) ? now : serviceNow))
}
