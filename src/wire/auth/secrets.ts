import { isLeft, left, type Either } from 'fp-ts/lib/Either.js'
import { base64Bytes, base64Of, hexOf, latin1Bytes, latin1Of } from '../../base/domain/bytes.js'
import { causeOf } from '../../base/errors/failure-cause.js'
import type { AnyError } from '../../base/errors/model.js'
import { maxTextLength, truncate } from '../../base/errors/text.js'

/** A shorter value is not redacted, because it occurs in other text. A form is found by so many characters. */
const minLength = 6

/** A shorter word of a header, such as `Bearer`, is not redacted. */
const minWordLength = 8

/** The number of recent signatures that are redacted. */
const maxSignatures = 256

/** The names of query parameters whose values are secrets. */
const secretName = /key|token|secret|signature|auth/i

/** The secrets of one client. Redacts them from the texts of the service and of transports. */
export class Secrets {
  // Truly private: `inspect` shows other fields.
  readonly #permanent: string[] = []
  #signatures: string[] = []
  /** Created when the first text arrives, because only errors need it. */
  #forms: FormIndex | undefined
  #indexedSignatures = 0

  /** The auth key: its bytes, and its base64 as the user writes it. */
  addKey(key: Uint8Array): void {
    this.#permanent.push(...base64Forms(base64Of(key)), ...formsOf(latin1Of(key)))
    this.#forms = undefined
  }

  /** A value such as that of a header, or a password. */
  addValue(value: string): void {
    this.#permanent.push(...formsOf(value))
    this.#forms = undefined
  }

  /** The value of a header, and its words: a service may repeat the token of `Bearer …` alone. */
  addHeader(value: string): void {
    this.addValue(value)
    for (const word of value.split(' ')) if (word.length >= minWordLength) this.addValue(word)
  }

  /** The query values of a URL whose names are those of secrets, decoded and as they are. */
  addUrl({ search }: { readonly search: string }): void {
    for (const pair of search.slice(1).split('&')) {
      for (const [name, value] of new URLSearchParams(pair)) {
        if (!secretName.test(name) || value === '') continue
        this.addValue(value)
        this.addValue(pair.slice(pair.indexOf('=') + 1))
      }
    }
  }

  /** A signature in base64. It is indexed later, because every request has one. */
  addSignature(signature: string): void {
    if (this.#signatures.length >= maxSignatures) {
      this.#signatures = this.#signatures.slice(-maxSignatures / 2)
      this.#forms = undefined
    }
    this.#signatures.push(signature)
  }

  /** The text without the secrets. */
  redact(text: string): string {
    return this.currentForms().redact(text)
  }

  /** The error without the secrets. */
  redactError<E extends AnyError>(error: E): E {
    return mapTexts(error, (text) => this.redact(text))
  }

  /** The event, whose error is without the secrets. */
  redactLeft<E extends AnyError, A>(event: Either<E, A>): Either<E, A> {
    return isLeft(event) ? left(this.redactError(event.left)) : event
  }

  private currentForms(): FormIndex {
    if (this.#forms === undefined) {
      this.#forms = new FormIndex()
      this.#indexedSignatures = 0
      for (const form of this.#permanent) this.#forms.add(form)
    }
    for (const signature of this.#signatures.slice(this.#indexedSignatures)) {
      for (const form of base64Forms(signature)) this.#forms.add(form)
    }
    this.#indexedSignatures = this.#signatures.length
    return this.#forms
  }
}

/** The forms of all secrets, by their first characters: one pass over a text finds them all. */
class FormIndex {
  readonly #byStart = new Map<string, string[]>()

  add(form: string): void {
    if (form.length < minLength) return
    const folded = fold(form)
    const start = folded.slice(0, minLength)
    const others = this.#byStart.get(start)
    if (others === undefined) this.#byStart.set(start, [folded])
    else others.push(folded)
  }

  /** Replaces each form in a text, and the beginning of a form where the text is cut off. */
  redact(text: string): string {
    if (this.#byStart.size === 0) return text
    const folded = fold(text)
    let clean = ''
    let copied = 0
    for (let at = 0; at + minLength <= text.length; at++) {
      const end = this.#endOf(folded, at)
      if (end === at) continue
      clean += `${text.slice(copied, at)}[redacted]`
      copied = end
      at = end - 1
    }
    return copied === 0 ? text : truncate(clean + text.slice(copied), Math.max(text.length, maxTextLength))
  }

  /** The end of the longest form that begins here; `start` if there is none. */
  #endOf(text: string, start: number): number {
    const head = text.slice(start, start + minLength)
    let longest = Math.max(start, this.#endAfter(head, text, start + minLength))
    if (/[%\\]/.test(head)) {
      let [decoded, at] = ['', start]
      while (decoded.length < minLength && at < text.length) {
        const { character, end } = readEscaped(text, at)
        decoded += character
        at = end
      }
      longest = Math.max(longest, this.#endAfter(decoded, text, at))
    }
    // The padding of base64.
    for (let padding = 0; padding < 2 && longest > start && text[longest] === '='; padding++) longest++
    return longest
  }

  /** The end of the longest form with these first characters, which end at an offset; -1 if there is none. */
  #endAfter(head: string, text: string, at: number): number {
    let longest = -1
    for (const form of this.#byStart.get(head) ?? []) {
      for (const read of [readLiteral, readEscaped])
        longest = Math.max(longest, endOfForm(form, text, at, read))
    }
    return longest
  }
}

/** The end of a form whose first characters end at an offset, also if the text is cut off inside the form; otherwise -1. */
const endOfForm = (form: string, text: string, from: number, read: Reading): number => {
  let at = from
  for (let index = minLength; index < form.length; index++) {
    if (cutOff.test(text.slice(at, at + 9))) return at
    const { character, end } = read(text, at)
    if (character !== form[index]) return -1
    at = end
  }
  return at
}

/** Where a text is cut off, perhaps inside an escape: at its end, or before an ellipsis of a message or of `JSON.parse`. */
const cutOff = /^(?:%[\da-f]?|\\+u?[\da-f]{0,3})?(?:$|…|"\.\.\.)/

/** Reads a character of a text. */
type Reading = (text: string, at: number) => { readonly character: string; readonly end: number }

const readLiteral: Reading = (text, at) => ({ character: text[at] ?? '', end: at + 1 })

/** Reads a character as URLs and JSON escape it, once or repeatedly. */
const readEscaped: Reading = (text, at) => {
  if (text[at] !== '%' && text[at] !== '\\') return readLiteral(text, at)
  escapeSequence.lastIndex = at
  const [sequence = '', url, json, itself] = escapeSequence.exec(text) ?? []
  if (sequence === '') return readLiteral(text, at)
  const character = itself ?? fold(String.fromCharCode(parseInt(url ?? json ?? '', 16)))
  return { character, end: at + sequence.length }
}

/** The lookbehind keeps the search linear for a text of backslashes. */
const escapeSequence = /%(?:25)*([\da-f]{2})|(?<!\\)\\+(?:u00([\da-f]{2})|([^\\]))/y

/**
 * Equates upper and lower case, the two alphabets of base64, and a `+` with the space for which it stands in a form. Keeps the
 * length.
 */
const fold = (text: string): string =>
  text
    .replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
    .replace(/[- ]/g, '+')
    .replaceAll('_', '/')

/** The forms of bytes that are written as base64: those of its text, with and without padding, and the bytes in hexadecimal. */
const base64Forms = (base64: string): readonly string[] => [
  ...formsOf(base64),
  ...formsOf(base64.replace(/=+$/, '')),
  hexOf(base64Bytes(base64)),
]

/** A value as it is, and in URL, JSON, base64 and hex form. Escapes of ASCII are read in the text, and need no form. */
const formsOf = (value: string): readonly string[] => {
  const bytes = new TextEncoder().encode(value)
  const url = latin1Of(bytes).replace(/[^ -~]/g, (byte) => `%${hexOf(latin1Bytes(byte))}`)
  const json = JSON.stringify(value).slice(1, -1)
  // Messages have one line.
  const line = value.replace(/\s+/g, ' ')
  return [...new Set([value, line, url, json, base64Of(bytes).replace(/=+$/, ''), hexOf(bytes)])]
}

/** Fields whose values the library chooses from a fixed set. */
const fixedFields: readonly string[] = ['_tag', 'kind']

/** The deepest text of an error is a field of an element of `issues`. */
const maxDepth = 3

/**
 * The error with a function applied to each of its texts. A transport of the caller may attach other values: an
 * exception is reduced to its name, message and code, and deeper values are omitted.
 */
const mapTexts = <E extends AnyError>(error: E, map: (text: string) => string): E =>
  mapValue(error, map, 0) as E

const mapValue = (value: unknown, map: (text: string) => string, depth: number): unknown => {
  if (typeof value === 'string') return map(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === maxDepth) return undefined
  if (Array.isArray(value)) return value.map((item) => mapValue(item, map, depth + 1))
  const fields = Object.entries(value instanceof Error ? causeOf(value) : value)
  return Object.fromEntries(
    fields.map(([name, field]) => [
      name,
      fixedFields.includes(name) ? (field as unknown) : mapValue(field, map, depth + 1),
    ]),
  )
}
