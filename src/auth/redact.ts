import type { AnyError } from '../errors/model.js'

/**
 * A prefix of a secret from this many characters on is redacted. A shorter prefix discloses too little, and would match
 * unrelated text.
 */
const minSecretLength = 8

/** A character as URLs, JSON and HTML escape it. `hex`: a pattern of its two hexadecimal digits. */
const escapedForms = (hex: string, decimal: number): string =>
  `%${hex}|\\\\u00${hex}|&#x${hex};|&#${decimal};`

/** The base64 digits that have several forms: of the url-safe alphabet, and escaped. */
const digitForms: Readonly<Record<string, string>> = {
  '+': `(?:[+ -]|${escapedForms('2[bB]', 43)})`,
  '/': `(?:\\\\?/|_|${escapedForms('2[fF]', 47)})`,
}

const padding = `(?:=|${escapedForms('3[dD]', 61)}){0,2}`

/**
 * Matches a base64 secret in every form that text from outside may contain: padded or not, url-safe, escaped, or
 * truncated. Each digit after the minimum prefix is optional by itself, so that the pattern grows linearly with the
 * secret.
 */
export const secretPattern = (secret: string): RegExp => {
  const digits = Array.from(secret.replace(/=+$/, ''), (digit, index) => {
    const form = digitForms[digit] ?? digit
    return index < minSecretLength ? form : `${form}?`
  })
  return new RegExp(digits.join('') + padding, 'g')
}

/** Replaces each secret in a string from outside, which may repeat the request. */
export const redact = (text: string, secrets: readonly RegExp[]): string =>
  secrets.reduce((clean, secret) => clean.replace(secret, '[redacted]'), text)

/** The error without the secrets. The input of a `DecodeError` is the only field that repeats a response. */
export const redactError = <E extends AnyError>(error: E, secrets: readonly RegExp[]): E =>
  error._tag === 'DecodeError' ? { ...error, input: redact(error.input, secrets) } : error
