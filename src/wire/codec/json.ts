import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { messageOf } from '../../base/errors/text.js'

/** The source of a regular expression for a JSON number. */
export const jsonNumberPattern = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`

/** The parser's message for a string that is not JSON. */
export type JsonProblem = string

/** Parses numbers as 64-bit floats: exact enough for prices, not for quantities. Ignores a byte order mark. */
export const parseJson = (
  text: string,
  reviver?: (name: string, value: unknown) => unknown,
): Either<JsonProblem, unknown> => {
  try {
    return right(JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text, reviver))
  } catch (thrown) {
    return left(messageOf(thrown))
  }
}
