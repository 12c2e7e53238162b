import { isLeft, left, type Either } from 'fp-ts/lib/Either.js'
import { base64Bytes, base64Of, hexOf, latin1Of } from '../domain/bytes.js'
import { causeOf } from '../errors/failure-cause.js'
import type { AnyError } from '../errors/model.js'
import { maxTextLength, truncate } from '../errors/text.js'
import { decodeEscapes, foldSpelling, redact } from './redact.js'
import { minRun, RunIndex, type Secret } from './run-index.js'

/** For values that may be words, and for hexadecimal digits, of which addresses consist too. */
const wordRun = 16

/** The number of recent signatures that are redacted. */
const maxSignatures = 256

/** Of a `URL`, which the declarations of the package must not name: it is a type of Node or of a browser. */
interface UrlParts {
  readonly pathname: string
  readonly search: string
  readonly searchParams: { values(): Iterable<string> }
}

/** The secrets of one client. Redacts them from the texts of the service and of transports. */
export class Secrets {
  private readonly permanent: Secret[] = []
  private signatures: string[] = []
  /** Created when the first text arrives, because only errors need it. */
  private index: RunIndex | undefined
  private indexedSignatures = 0

  /** The auth key: in base64, in hexadecimal, and as the text that its bytes may be. */
  addKey(key: Uint8Array): void {
    this.permanent.push(...base64Forms(base64Of(key)), wordForm(latin1Of(key)))
    this.index = undefined
  }

  /** A value that may be a word, such as that of a query parameter. */
  addValue(value: string): void {
    this.permanent.push(wordForm(value))
    this.index = undefined
  }

  /** The value of a header, and its words: a service may repeat the token of `Bearer …` alone. */
  addHeader(value: string): void {
    for (const text of new Set([value, ...value.split(' ')])) this.addValue(text)
  }

  /** The query values of a URL, and those parts of its path and query that are long enough for a token. */
  addUrl({ pathname, search, searchParams }: UrlParts): void {
    for (const value of searchParams.values()) this.addValue(value)
    for (const part of `${pathname}${search}`.split(/[/?&=]/)) if (part.length >= wordRun) this.addValue(part)
  }

  /** A signature in base64. It is indexed later, because every request has one. */
  addSignature(signature: string): void {
    if (this.signatures.length >= maxSignatures) {
      this.signatures = this.signatures.slice(-maxSignatures / 2)
      this.index = undefined
    }
    this.signatures.push(signature)
  }

  /** The text without the secrets. */
  redact(text: string): string {
    const index = this.currentIndex()
    return index.isEmpty ? text : truncate(redact(text, index), Math.max(text.length, maxTextLength))
  }

  /** The error without the secrets. */
  redactError<E extends AnyError>(error: E): E {
    return mapTexts(error, (text) => this.redact(text))
  }

  /** The event, whose error is without the secrets. */
  redactLeft<E extends AnyError, A>(event: Either<E, A>): Either<E, A> {
    return isLeft(event) ? left(this.redactError(event.left)) : event
  }

  private currentIndex(): RunIndex {
    if (this.index === undefined) {
      this.index = new RunIndex()
      this.indexedSignatures = 0
      addAll(this.index, this.permanent)
    }
    for (const signature of this.signatures.slice(this.indexedSignatures)) {
      addAll(this.index, base64Forms(signature))
    }
    this.indexedSignatures = this.signatures.length
    return this.index
  }
}

/** A shorter text is not a secret: it would match unrelated text. */
const addAll = (index: RunIndex, secrets: readonly Secret[]): void => {
  for (const secret of secrets) if (secret.text.length >= minRun) index.add(secret)
}

/** Random base64 does not occur in other text by chance, not even the shortest run. */
const base64Forms = (base64: string): readonly Secret[] => [
  { text: foldSpelling(base64.replace(/=+$/, '')), run: minRun },
  wordForm(hexOf(base64Bytes(base64))),
]

const wordForm = (value: string): Secret => {
  const text = foldSpelling(decodeEscapes(value)?.text ?? value)
  return { text, run: Math.min(wordRun, text.length) }
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
