import { inspect } from 'node:util'

/** The maximum length of a text from outside in an error, in UTF-16 code units. */
export const maxTextLength = 2048

/** Limits text from outside to `limit` UTF-16 code units, without splitting a surrogate pair. */
export const truncate = (text: string, limit = maxTextLength): string => {
  if (text.length <= limit) return text
  const cut = text.slice(0, limit)
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut
}

/** Formats text from outside as part of one line of a log. */
export const oneLine = (text: string): string => {
  // Control characters from outside must not reach a terminal.
  const line = truncate(text, 400)
    .replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .trim()
  return line.length <= 200 ? line : `${truncate(line, 200)}…`
}

/** Formats a caller's argument of any type. An object is reduced to its type, because its content may be secret. */
export const asText = (value: unknown): string => {
  if (typeof value === 'string') return value
  return typeof value === 'object' || typeof value === 'function'
    ? `a value of type ${typeof value}`
    : inspect(value)
}

/** Returns `NaN` for an argument of any other type, which a caller in plain JavaScript may pass. */
export const asNumber = (value: unknown): number => (typeof value === 'number' ? value : NaN)

/** Formats a caller's argument as part of one line of a log. */
export const describeValue = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(oneLine(value)) : oneLine(asText(value))
