import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { parse } from 'lossless-json'

/** A number as its JSON text spells it: no digit is lost before a decoder has seen it. */
export class NumberLiteral {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text
  }
}

/** Why a text is not JSON. */
export type JsonProblem = string

const attempt = (read: () => unknown): Either<JsonProblem, unknown> => {
  try {
    return right(read())
  } catch (thrown) {
    return left(thrown instanceof Error ? thrown.message : String(thrown))
  }
}

/** JSON with numbers as 64-bit floats: right for prices, wrong for quantities. */
export const parseJson = (text: string): Either<JsonProblem, unknown> =>
  attempt(() => JSON.parse(text) as unknown)

/** io-ts copies objects by assignment, through which a field of this name would become the copy's prototype. */
const withoutProto = (key: string, value: unknown): unknown => (key === '__proto__' ? undefined : value)

/** JSON with numbers as `NumberLiteral`s. A key that comes twice counts as `JSON.parse` counts it: the last wins. */
export const parseJsonExactly = (text: string): Either<JsonProblem, unknown> =>
  attempt(() =>
    parse(text, withoutProto, {
      parseNumber: (literal) => new NumberLiteral(literal),
      onDuplicateKey: ({ newValue }) => newValue,
    }),
  )
