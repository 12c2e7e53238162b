import { escapeUnsafe } from '../../errors/text.js'

// Formats values for people and for text in pipes.

export const formatAge = (ms: number): string => {
  const seconds = Math.max(0, ms) / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`
}

/** Hours, minutes and seconds: `1:02:03`. */
export const formatDuration = (ms: number): string => {
  const seconds = Math.floor(Math.max(0, ms) / 1000)
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0'))
  return [Math.floor(seconds / 3600), ...parts].join(':')
}

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
