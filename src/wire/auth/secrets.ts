import { isLeft, left, type Either } from 'fp-ts/lib/Either.js'
import { base64Of, latin1Of } from '../../base/domain/bytes.js'
import type { Tagged } from '../../base/errors/model.js'
import { mapTexts, maxTextLength, truncate } from '../../base/errors/text.js'

/** A shorter value is not redacted, because it occurs in other text, and neither is a shorter part of a value. */
const [minLength, minPart] = [6, 8]

/** The number of recent signatures that are redacted. */
const maxSignatures = 128

/** The names of query parameters whose values are secrets. */
const secretName = /key|token|secret|signature|auth/i

/** The secrets of one client. Redacts them from the texts of the service and of transports. */
export class Secrets {
  // Truly private: `inspect` shows other fields.
  readonly #values: (() => readonly string[])[] = []
  readonly #signatures: (() => readonly string[])[] = []

  /** A value such as the key in base64, and its words: a service may repeat the token of `Bearer …` alone. */
  addValue(value: string): void {
    if (value.trim().length < minLength) return
    const words = value.split(' ').filter((word) => word.length >= minPart)
    this.#values.push(...[value, ...words].map(formsOf))
  }

  /** The query values of a URL whose names are those of secrets. */
  addUrl({ searchParams }: { readonly searchParams: Iterable<readonly [string, string]> }): void {
    for (const [name, value] of searchParams) if (secretName.test(name)) this.addValue(value)
  }

  addSignature(signature: string): void {
    if (this.#signatures.push(formsOf(signature)) > maxSignatures) this.#signatures.shift()
  }

  redact(text: string): string {
    const forms = [...this.#values, ...this.#signatures].flatMap((create) => create())
    const pieces = piecesOf(text)
    let folded = foldPieces(pieces)
    for (const beginning of new Set(forms.map((form) => form.slice(0, minPart)))) {
      for (let at = folded.indexOf(beginning); at !== -1; at = folded.indexOf(beginning)) {
        // Several forms may have this beginning.
        const length = Math.max(...forms.map((form) => commonLength(form, folded.slice(at))))
        pieces.splice(at, length, '[redacted]')
        folded = `${folded.slice(0, at)}\uffff${folded.slice(at + length)}`
      }
    }
    return truncate(pieces.join(''), Math.max(text.length, maxTextLength))
  }

  redactError<E extends Tagged<string>>(error: E): E {
    return mapTexts(error, (text) => this.redact(text)) as E
  }

  redactLeft<E extends Tagged<string>, A>(event: Either<E, A>): Either<E, A> {
    return isLeft(event) ? left(this.redactError(event.left)) : event
  }
}

/** A value as it is, as its bytes, and in base64; with its own escapes, and decoded. Created when an error needs them. */
const formsOf = (value: string): (() => readonly string[]) => {
  const bytes = (): Uint8Array => new TextEncoder().encode(value)
  let forms: readonly string[] | undefined
  return () =>
    (forms ??= [value, latin1Of(bytes()), base64Of(bytes())].flatMap((form) =>
      [[form], piecesOf(form)].map(foldPieces),
    ))
}

/** The characters of a text, as they are or percent-encoded. */
const piecesOf = (text: string): string[] => text.match(/%[\da-f]{2}|[^]/gi) ?? []

/** Decodes the pieces, and equates upper and lower case, the two alphabets of base64, and a space with its `+` in a form. */
const foldPieces = (pieces: readonly string[]): string =>
  pieces
    .map((piece) => (/^%..$/.test(piece) ? String.fromCharCode(parseInt(piece.slice(1), 16)) : piece))
    .join('')
    .replace(/[-A-Z_ ]/g, (character) => equals[character] ?? character.toLowerCase())

const equals: Readonly<Record<string, string>> = { '-': '+', ' ': '+', _: '/' }

const commonLength = (a: string, b: string): number => {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}
