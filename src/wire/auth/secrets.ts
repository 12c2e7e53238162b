import { isLeft, left, type Either } from 'fp-ts/lib/Either.js'
import { base64Of, latin1Of } from '../../base/domain/bytes.js'
import type { Tagged } from '../../base/errors/model.js'
import { mapTexts, maxTextLength, truncate } from '../../base/errors/text.js'

/** A shorter value is not redacted, because it occurs in other text. */
const minLength = 6

/** A shorter part of a value is not redacted: a word, or the beginning of a value in a text that is cut off. */
const minPart = 8

/** The number of recent signatures that are redacted. */
const maxSignatures = 128

/** The names of query parameters whose values are secrets. */
const secretName = /key|token|secret|signature|auth/i

interface Secret {
  readonly value: string
  /** Created for the first text, because only errors need them. */
  forms?: readonly string[]
}

/** The secrets of one client. Redacts them from the texts of the service and of transports. */
export class Secrets {
  // Truly private: `inspect` shows other fields.
  readonly #values: Secret[] = []
  readonly #signatures: Secret[] = []
  /** The forms of all secrets. `undefined` after a change. */
  #forms: readonly string[] | undefined

  /** A value such as the key in base64, and its words: a service may repeat the token of `Bearer …` alone. */
  addValue(value: string): void {
    if (onOneLine(value).length < minLength) return
    const words = value.split(' ').filter((word) => word.length >= minPart)
    for (const each of [value, ...words]) this.#values.push({ value: each })
    this.#forms = undefined
  }

  /** The query values of a URL whose names are those of secrets. */
  addUrl({ searchParams }: { readonly searchParams: Iterable<readonly [string, string]> }): void {
    for (const [name, value] of searchParams) if (secretName.test(name)) this.addValue(value)
  }

  addSignature(signature: string): void {
    if (this.#signatures.push({ value: signature }) > maxSignatures) this.#signatures.shift()
    this.#forms = undefined
  }

  /** The text without the secrets. */
  redact(text: string): string {
    this.#forms ??= [...this.#values, ...this.#signatures]
      .flatMap((secret) => (secret.forms ??= formsOf(secret.value)))
      .sort((a, b) => b.length - a.length)
    const clean = redactPieces(this.#forms, text.split(''))
    const decoded = redactPieces(this.#forms, clean.match(/%[\da-f]{2}|[^]/gi) ?? [])
    return decoded === text ? text : truncate(decoded, Math.max(text.length, maxTextLength))
  }

  /** The error without the secrets. */
  redactError<E extends Tagged<string>>(error: E): E {
    return mapTexts(error, (text) => this.redact(text)) as E
  }

  /** The event, whose error is without the secrets. */
  redactLeft<E extends Tagged<string>, A>(event: Either<E, A>): Either<E, A> {
    return isLeft(event) ? left(this.redactError(event.left)) : event
  }
}

/** A value as it is, on one line as in messages, as its bytes, and in base64. */
const formsOf = (value: string): readonly string[] => {
  const bytes = new TextEncoder().encode(value)
  return [value, onOneLine(value), latin1Of(bytes), base64Of(bytes)].map(fold)
}

const onOneLine = (value: string): string => value.replace(/\s+/g, ' ')

/** Equates upper and lower case, the two alphabets of base64, and a space with its `+` in a form. Keeps the length. */
const fold = (text: string): string =>
  text.replace(/[-A-Z_ ]/g, (character) => equals[character] ?? character.toLowerCase())

const equals: Readonly<Record<string, string>> = { '-': '+', ' ': '+', _: '/' }

/** Redacts a text of pieces: each is a character, as it is or percent-encoded. */
const redactPieces = (forms: readonly string[], pieces: string[]): string => {
  let text = fold(pieces.map(characterOf).join(''))
  for (const beginning of forms.map((form) => form.slice(0, minPart))) {
    for (let at = text.indexOf(beginning); at !== -1; at = text.indexOf(beginning)) {
      // Several forms may have this beginning.
      const length = Math.max(...forms.map((form) => commonLength(form, text.slice(at))))
      pieces.splice(at, length, '[redacted]')
      text = `${text.slice(0, at)}\uffff${text.slice(at + length)}`
    }
  }
  return pieces.join('')
}

const characterOf = (piece: string): string =>
  piece.length === 1 ? piece : String.fromCharCode(parseInt(piece.slice(1), 16))

const commonLength = (a: string, b: string): number => {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}
