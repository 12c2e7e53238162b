import type { Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts/lib/index.js'
import type { DecodeError } from '../../base/errors/model.js'
import { decodeMessage } from '../../backtest/recording/codec/value-codecs.js'

/** A subscribe or unsubscribe message on the wire (section 4.3 of the service's documentation). */
const ClientMessageCodec = t.type(
  { method: t.keyof({ subscribe: null, unsubscribe: null }, 'subscribe or unsubscribe'), topic: t.string },
  'a client message',
)

export type ClientMessage = t.TypeOf<typeof ClientMessageCodec>

/** Decodes a text frame from a client of the price WebSocket. */
export const decodeClientMessage = (text: string): Either<DecodeError, ClientMessage> =>
  decodeMessage('client message', ClientMessageCodec, text)
