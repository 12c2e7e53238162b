import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts/lib/index.js'
import type { DecodeError } from '../errors/model.js'
import { malformedError, toDecodeError } from './decode-error.js'
import { parseJson } from './json.js'

/** A subscribe or unsubscribe message on the wire (section 4.3 of the service's documentation). */
const ClientMessageCodec = t.type(
  { method: t.keyof({ subscribe: null, unsubscribe: null }, 'subscribe or unsubscribe'), topic: t.string },
  'a client message',
)

export type ClientMessage = t.TypeOf<typeof ClientMessageCodec>

/** Decodes a text frame from a client of the price WebSocket. */
export const decodeClientMessage = (text: string): Either<DecodeError, ClientMessage> => {
  const json = parseJson(text)
  if (isLeft(json)) return left(malformedError('client message', text, 'a JSON object', json.left))
  const decoded = ClientMessageCodec.decode(json.right)
  if (isLeft(decoded)) return left(toDecodeError('client message', text, decoded.left))
  const { method, topic } = decoded.right
  return right({ method, topic })
}
