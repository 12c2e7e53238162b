import { asText, truncate } from '../errors/text.js'

/** Formats a rejected value. A string keeps its line breaks, escaped: they may be the problem. */
export const display = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(truncate(value, 100)) : asText(value)
