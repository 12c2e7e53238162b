import { escapeUnsafe } from '../../errors/escape-unsafe.js'

// Formats values for people and for text in pipes.

const byteUnits = ['kB', 'MB', 'GB', 'TB'] as const

/** A number of bytes in decimal units: `12.3 kB`. */
export const formatBytes = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} bytes`
  const power = Math.min(byteUnits.length, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** power).toFixed(1)} ${String(byteUnits[power - 1])}`
}

/** ISO 8601 text of a time in ms since the Unix epoch; the number itself if it is outside the range of dates. */
export const formatTime = (at: number): string => {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString()
}

/** The value as indented JSON. A bigint becomes a decimal string, so that no reader loses digits. */
export const formatJson = (value: object): string =>
  escapeUnsafe(
    JSON.stringify(value, (_key, field: unknown) => (typeof field === 'bigint' ? String(field) : field), 2),
  )
