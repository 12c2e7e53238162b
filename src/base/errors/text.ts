/** The maximum length of a text from outside in an error, in UTF-16 code units. */
export const maxTextLength = 2048

/**
 * A copy of a part of a text. The part itself refers to the whole text: an error with 2 kB of a frame of 1 MiB would
 * keep the frame in memory. In JavaScriptCore all string operations return such references, but `JSON.parse` copies.
 */
export const copyOf = <A extends string>(part: A): A => JSON.parse(JSON.stringify(part)) as A

/** Limits text from outside to `limit` UTF-16 code units, without splitting a surrogate pair. Returns a copy if cut. */
export const truncate = (text: string, limit = maxTextLength): string => {
  if (text.length <= limit) return text
  const cut = copyOf(text.slice(0, limit))
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut
}

/** Text from outside on one line: white space and control characters separate words, other unsafe ones are escaped. */
export const printable = (text: string): string => escapeUnsafe(text.replace(/[\s\p{Cc}]+/gu, ' '))

/** Formats text from outside as part of one line of a log. */
export const oneLine = (text: string): string => {
  const line = printable(truncate(text, 400)).trim()
  return line.length <= 200 ? line : `${truncate(line, 200)}…`
}

/** The possible lag of the prices of a connection: `5.2 s behind`. Used in all messages and displays. */
export const behindText = (ms: number): string =>
  `${ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`} behind`

/** Formats a caller's argument of any type. An object is reduced to its type, because its content may be secret. */
export const asText = (value: unknown): string => {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'bigint') return `${value}n`
  const isObject = typeof value === 'object' && value !== null
  if (isObject || typeof value === 'function') return `a value of type ${typeof value}`
  return Object.is(value, -0) ? '-0' : String(value)
}

/** Returns `NaN` for an argument of any other type, which a caller in plain JavaScript may pass. */
export const asNumber = (value: unknown): number => (typeof value === 'number' ? value : NaN)

export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)

/** Formats a caller's argument as part of one line of a log. */
export const describeValue = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(oneLine(value)) : oneLine(asText(value))

/**
 * Control characters except line end and tab, line separators, lone surrogates, and all characters without a shape of their own:
 * bidirectional controls, zero-width characters, fillers. A variation selector is safe: it selects the shape of an emoji.
 */
const unsafe = /(?![\t\n\uFE00-\uFE0F])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const plainAscii = /^[\x20-\x7e]*$/

/** Escapes the characters that may change how a terminal or log shows other text, as `\u202e`. Keeps the value of a JSON text. */
export const escapeUnsafe = (text: string): string =>
  plainAscii.test(text) ? text : text.replace(unsafe, escapeUnits)

const escapeUnits = (character: string): string =>
  character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A copy of an error with a function applied to each text. `_tag` and `kind` are chosen by the library. */
export const mapTexts = (value: unknown, map: (text: string) => string, name?: string): unknown => {
  if (typeof value === 'string') return name === '_tag' || name === 'kind' ? value : map(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, mapTexts(field, map, key)]))
}
