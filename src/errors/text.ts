import { inspect } from 'node:util'

/** Text from outside, kept whole up to 2 kB, never ending in half a character. */
export const truncate = (text: string, limit = 2048): string => {
  if (text.length <= limit) return text
  const cut = text.slice(0, limit)
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut
}

/** Text from outside as part of one line of a log. */
export const oneLine = (text: string): string => {
  // Control characters of a foreign text must not reach a terminal.
  const line = truncate(text, 400)
    .replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim()
  return line.length <= 200 ? line : `${truncate(line, 200)}…`
}

/** A caller's value as text, whatever plain JavaScript may have passed. */
export const asText = (value: unknown): string => {
  if (typeof value === 'string') return value
  return typeof value === 'object' || typeof value === 'function'
    ? `a value of type ${typeof value}`
    : inspect(value)
}

/** A caller's value as a number: `NaN` for whatever else plain JavaScript may have passed. */
export const asNumber = (value: unknown): number => (typeof value === 'number' ? value : NaN)

/** A caller's value as part of one line of a log. */
export const describeValue = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(oneLine(value)) : oneLine(asText(value))
