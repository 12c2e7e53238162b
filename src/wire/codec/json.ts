import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { messageOf } from '../../base/errors/text.js'

/** The source of a regular expression for a JSON number. */
export const jsonNumberPattern = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`

/** The text of a JSON number, so that the decoder receives every digit. */
export class NumberLiteral {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text
  }
}

/** The parser's message for a string that is not JSON. */
export type JsonProblem = string

const attempt = (read: () => unknown): Either<JsonProblem, unknown> => {
  try {
    return right(read())
  } catch (thrown) {
    return left(messageOf(thrown))
  }
}

/** Parses numbers as 64-bit floats: exact enough for prices, not for quantities. */
export const parseJson = (text: string): Either<JsonProblem, unknown> =>
  attempt(() => JSON.parse(text) as unknown)

/**
 * Parses numbers as `NumberLiteral`. The last value of a duplicate key wins, as in `JSON.parse`. Fields named
 * `__proto__` are omitted: io-ts copies objects by assignment, so such a field would set the prototype of the copy.
 */
export const parseJsonExactly = (text: string): Either<JsonProblem, unknown> =>
  attempt(() => {
    // The reader requires a valid text.
    JSON.parse(text)
    return new JsonReader(text, (literal) => new NumberLiteral(literal)).read()
  })

// Characters of JSON.
const space = 0x20
const quote = 0x22
const comma = 0x2c
const bracket = 0x5b
const closingBracket = 0x5d
const backslash = 0x5c
const brace = 0x7b
const closingBrace = 0x7d
const f = 0x66
const n = 0x6e
const t = 0x74

const notSpace = /[^ \t\r\n]/g

/**
 * Reads a text that `JSON.parse` accepts, and builds each number from its text. It checks nothing, and takes linear
 * time. Fields named `__proto__` are left out. Throws a `RangeError` for deep nesting.
 */
export class JsonReader {
  private at = 0
  /** The first backslash that is not before `at`, if known. */
  private nextEscape = -1

  constructor(
    private readonly text: string,
    private readonly numberOf: (literal: string) => unknown,
  ) {}

  read(): unknown {
    switch (this.next()) {
      case brace:
        return this.readObject()
      case bracket:
        return this.readArray()
      case quote:
        return this.readString()
      case t:
        return this.skip(4, true)
      case f:
        return this.skip(5, false)
      case n:
        return this.skip(4, null)
      default:
        return this.readNumber()
    }
  }

  /** The next character that is not white space. */
  private next(): number {
    const { text } = this
    if (text.charCodeAt(this.at) <= space) this.at++
    if (text.charCodeAt(this.at) <= space) {
      // For much white space, a regular expression is fastest; for little, a loop.
      notSpace.lastIndex = this.at
      notSpace.test(text)
      this.at = notSpace.lastIndex - 1
    }
    return text.charCodeAt(this.at)
  }

  private skip<A>(length: number, value: A): A {
    this.at += length
    return value
  }

  private readObject(): Readonly<Record<string, unknown>> {
    const object: Record<string, unknown> = {}
    this.at++
    while (this.next() !== closingBrace) {
      if (this.next() === comma) this.at++
      this.next()
      const key = this.readString()
      this.next()
      this.at++ // the colon
      const value = this.read()
      if (key !== '__proto__') object[key] = value
    }
    this.at++
    return object
  }

  private readArray(): readonly unknown[] {
    const array: unknown[] = []
    this.at++
    while (this.next() !== closingBracket) {
      if (this.next() === comma) this.at++
      array.push(this.read())
    }
    this.at++
    return array
  }

  private readString(): string {
    const { text, at: start } = this
    const end = this.endOfString(start + 1)
    this.at = end + 1
    return this.escapeFrom(start) < end
      ? (JSON.parse(text.slice(start, end + 1)) as string)
      : text.slice(start + 1, end)
  }

  /** The index of the closing quotation mark. An odd number of backslashes before a quotation mark escapes it. */
  private endOfString(from: number): number {
    let end = this.text.indexOf('"', from)
    while (this.isEscaped(from, end)) end = this.text.indexOf('"', end + 1)
    return end
  }

  private isEscaped(from: number, at: number): boolean {
    let first = at
    while (first > from && this.text.charCodeAt(first - 1) === backslash) first--
    return (at - first) % 2 === 1
  }

  private escapeFrom(from: number): number {
    if (this.nextEscape < from) {
      const found = this.text.indexOf('\\', from)
      this.nextEscape = found === -1 ? Infinity : found
    }
    return this.nextEscape
  }

  private readNumber(): unknown {
    const { text, at: start } = this
    let end = start
    while (isNumeric(text.charCodeAt(end))) end++
    this.at = end
    return this.numberOf(text.slice(start, end))
  }
}

/** True for each character of a JSON number. White space, comma, bracket and brace, which end a number, are none. */
const isNumeric = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) ||
  code === 0x2b ||
  code === 0x2d ||
  code === 0x2e ||
  code === 0x45 ||
  code === 0x65
