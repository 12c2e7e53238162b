import type { Axis } from './scale.js'

const [second, minute, hour] = [1_000, 60_000, 3_600_000]

/** Distances between round times of at least a second, in ms. */
export const timeSteps: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12, 24].map((count) => count * hour),
]

/** A time of day in UTC, with the date or the ms if the ticks need them. */
export const timeText = (at: number, { step }: Axis): string => {
  const text = new Date(at).toISOString()
  if (step >= 6 * hour) return text.slice(5, 16).replace('T', ' ')
  return text.slice(11, step < second ? 23 : 19)
}
