import { isLeft, left, type Either } from 'fp-ts/lib/Either.js'
import type { Type } from 'io-ts/lib/index.js'
import type { DecodeError } from '../errors/model.js'
import { malformedError, toDecodeError } from './decode-error.js'
import { parseJson } from './json.js'

/** Decodes a text that is a JSON object. `what`: the kind of message, for errors. */
export const decodeMessage = <A>(
  what: string,
  codec: Type<A, unknown>,
  text: string,
): Either<DecodeError, A> => {
  const json = parseJson(text)
  if (isLeft(json)) return left(malformedError(what, text, 'a JSON object', json.left))
  const decoded = codec.decode(json.right)
  return isLeft(decoded) ? left(toDecodeError(what, text, decoded.left)) : decoded
}
