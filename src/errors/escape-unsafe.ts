/**
 * Control characters except line end and tab, line separators, lone surrogates, and all characters without a shape of
 * their own: bidirectional controls, zero-width characters, fillers. A variation selector is safe: it selects the shape
 * of an emoji.
 */
const unsafe = /(?![\t\n\uFE00-\uFE0F])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const plainAscii = /^[\x20-\x7e]*$/

/**
 * Escapes the characters that may change how a terminal or a log shows other text, as `\u202e`. Keeps the value of a
 * JSON text.
 */
export const escapeUnsafe = (text: string): string =>
  plainAscii.test(text) ? text : text.replace(unsafe, escapeUnits)

const escapeUnits = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => escapeUnit(character.charCodeAt(at))).join('')

const escapeUnit = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`
