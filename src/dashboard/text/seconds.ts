/** A duration in whole units, rounded down: `42 s`, `2 min 05 s`, `1 h 02 min`. `ms` below 0 is 0. */
export const formatSeconds = (ms: number): string => {
  const seconds = Math.floor(Math.max(0, ms) / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${twoDigits(seconds % 60)} s`
  return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')
