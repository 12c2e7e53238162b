import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { messageOf } from '../errors/text.js'
import { JsonReader } from './json-reader.js'

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
 * Parses numbers as `NumberLiteral`. The last value of a duplicate key wins, as in `JSON.parse`. Fields named `__proto__`
 * are left out: io-ts copies objects by assignment, so that such a field would set the prototype of the copy.
 */
export const parseJsonExactly = (text: string): Either<JsonProblem, unknown> =>
  attempt(() => {
    // The reader requires a valid text.
    JSON.parse(text)
    return new JsonReader(text, (literal) => new NumberLiteral(literal)).read()
  })
