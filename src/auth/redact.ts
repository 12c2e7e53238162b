/** So many characters of a secret's beginning are telling; fewer are nobody's business. */
const telling = 8

/** A character as JSON, URLs and HTML escape it. `hex`: a pattern of its two hexadecimal digits. */
const escaped = (hex: string, decimal: number): string => `%${hex}|\\\\u00${hex}|&#x${hex};|&#${decimal};`

/** The digits of base64 that are spelled in more ways than one: in its url-safe alphabet, and escaped. */
const spellings: Readonly<Record<string, string>> = {
  '+': `(?:[+ -]|${escaped('2[bB]', 43)})`,
  '/': `(?:\\\\?/|_|${escaped('2[fF]', 47)})`,
}

const padding = `(?:=|${escaped('3[dD]', 61)}){0,2}`

/**
 * A secret in base64, padded or not, as a text from outside may spell it; of one that was cut, as much as there is.
 * Past the telling beginning each digit may be missing: so the pattern grows only by one step with each.
 */
export const spelled = (secret: string): RegExp => {
  const digits = Array.from(secret.replace(/=+$/, ''), (digit, index) => {
    const spelling = spellings[digit] ?? digit
    return index < telling ? spelling : `${spelling}?`
  })
  return new RegExp(digits.join('') + padding, 'g')
}

/** A text from outside without the secrets that it may repeat. */
export const redacted = (text: string, secrets: readonly RegExp[]): string =>
  secrets.reduce((clean, secret) => clean.replace(secret, '[redacted]'), text)
