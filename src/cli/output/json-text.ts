import { oneLine } from '../../errors/text.js'

// Values of strategies as text.

/** A value as JSON on one line of limited length. */
export const jsonText = (value: unknown): string => {
  try {
    return oneLine(stringify(value))
  } catch {
    return 'a value without JSON'
  }
}

/** JSON with bigints as decimal strings, so that no reader loses digits. */
export const stringify = (value: unknown): string =>
  value === undefined
    ? 'undefined'
    : JSON.stringify(value, (_key, field: unknown) => (typeof field === 'bigint' ? String(field) : field))
