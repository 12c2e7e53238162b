// Times and addresses as text for people.

/** The local time of day: `17:02:05`. `at`: ms since the Unix epoch. */
export const clockTime = (at: number): string => {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':')
}

/** ISO 8601 text of a time in ms since the Unix epoch; the number itself if it is outside the range of dates. */
export const formatTime = (at: number): string => {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString()
}

/** An age for a narrow column, in one unit: `1.5 s`, `12 min`, `3 h`. `ms` below 0 is 0. */
export const formatAge = (ms: number): string => {
  const seconds = Math.max(0, ms) / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`
}

/** A duration in whole units, rounded down: `42 s`, `2 min 05 s`, `1 h 02 min`. `ms` below 0 is 0. */
export const formatSeconds = (ms: number): string => {
  const { hours, minutes, seconds } = partsOf(ms)
  if (hours > 0) return `${hours} h ${twoDigits(minutes)} min`
  return minutes > 0 ? `${minutes} min ${twoDigits(seconds)} s` : `${seconds} s`
}

/** Hours, minutes and seconds: `1:02:03`. `ms` below 0 is 0. */
export const formatDuration = (ms: number): string => {
  const { hours, minutes, seconds } = partsOf(ms)
  return [hours, twoDigits(minutes), twoDigits(seconds)].join(':')
}

const partsOf = (ms: number) => {
  const seconds = Math.floor(Math.max(0, ms) / 1000)
  return { hours: Math.floor(seconds / 3600), minutes: Math.floor(seconds / 60) % 60, seconds: seconds % 60 }
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** The first and last digits of a long address. */
export const shortAddress = (address: string): string =>
  address.length <= 13 ? address : `${address.slice(0, 6)}…${address.slice(-4)}`

/** Abbreviates the addresses of a text, which would fill a line. */
export const shortAddresses = (text: string): string => text.replace(/0x[0-9a-f]+/gi, shortAddress)
