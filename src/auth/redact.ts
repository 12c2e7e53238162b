/** As much of a secret as is nobody's business, in characters. */
const telling = 8

/** A secret as a text from outside may spell it: as it is, as JSON and URLs escape it, in the url-safe alphabet. */
export const spellingsOf = (secret: string): readonly string[] => [
  ...new Set([
    secret,
    secret.replaceAll('/', '\\/'),
    encodeURIComponent(secret),
    secret.replaceAll('+', '-').replaceAll('/', '_'),
  ]),
]

/** A text from outside without the secrets that it may repeat. */
export const redacted = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text)

/** The same for a text that was cut, perhaps in the middle of a secret. */
export const redactedCut = (text: string, secrets: readonly string[]): string =>
  secrets.reduce(withoutBeginning, redacted(text, secrets))

const withoutBeginning = (text: string, secret: string): string => {
  for (let length = secret.length - 1; length >= telling; length--) {
    if (text.endsWith(secret.slice(0, length))) return `${text.slice(0, -length)}[redacted]`
  }
  return text
}
