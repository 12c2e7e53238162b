import type { Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts/lib/index.js'
import type { DecodeError } from '../../errors/model.js'
import { decodeMessage } from '../decode-message.js'
import { Finite } from '../number.js'

// What consumers send to gateways over NATS, as JSON.

/** The maximum length of the identifier of a session. That of the library has 22 characters. */
const maxSessionLength = 64

const isSessionId = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= maxSessionLength

/** The gateway keeps it as long as the session. */
const SessionId = new t.Type<string>(
  `an identifier of at most ${maxSessionLength} characters`,
  isSessionId,
  (value, context) => (isSessionId(value) ? t.success(value) : t.failure(value, context)),
  t.identity,
)

/** Starts a session. Its identifier is a secret of the consumer: who knows it can end the session. */
const Open = t.type({ type: t.literal('open'), session: SessionId }, 'an open message')

/**
 * Renews the lease of a session. `since`: the number of publications that the last reply reported. `requests`: the number of
 * the last subscribe or unsubscribe message, 0 before the first one. It shows the gateway that one is lost.
 */
const Renew = t.type(
  { type: t.literal('renew'), session: SessionId, number: Finite, since: Finite, requests: Finite },
  'a renew message',
)

/** `number`: of the subscribe and unsubscribe messages of the session, from 1. The confirmation repeats it. */
const Subscribe = t.type(
  { type: t.literal('subscribe'), session: SessionId, topic: t.string, number: Finite },
  'a subscribe message',
)

/** `number`: as of a subscribe message. */
const Unsubscribe = t.type(
  { type: t.literal('unsubscribe'), session: SessionId, topic: t.string, number: Finite },
  'an unsubscribe message',
)

const Close = t.type({ type: t.literal('close'), session: SessionId }, 'a close message')

/**
 * A request of a price or of depth. `path`: as over HTTP. `consumer`: an identifier of the client, by which gateways take
 * turns. `timeout`: the time after which the consumer does not wait any longer, in ms. A consumer of an earlier version sends
 * neither.
 */
const Get = t.intersection(
  [t.type({ type: t.literal('get'), path: t.string }), t.partial({ consumer: t.string, timeout: Finite })],
  'a get message',
)

/** The consumer does not wait any longer for the response to its get message with the same reply subject. */
const Cancel = t.type({ type: t.literal('cancel') }, 'a cancel message')

const GatewayMessageCodec = t.union(
  [Open, Renew, Subscribe, Unsubscribe, Close, Get, Cancel],
  'a message to a gateway',
)

/** A message to one gateway. */
export type GatewayMessage = Readonly<t.TypeOf<typeof GatewayMessageCodec>>

export type GatewayMessageOf<T extends GatewayMessage['type']> = Extract<GatewayMessage, { type: T }>

/** A message of a session that exists. */
export type SessionMessage = Exclude<GatewayMessage, { readonly type: 'open' | 'get' | 'cancel' }>

export const encodeGatewayMessage = (message: GatewayMessage): string => JSON.stringify(message)

export const decodeGatewayMessage = (text: string): Either<DecodeError, GatewayMessage> =>
  decodeMessage('message to a gateway', GatewayMessageCodec, text)
