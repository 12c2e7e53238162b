import type { Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts/lib/index.js'
import type { DecodeError } from '../../base/errors/model.js'
import { guardCodec } from '../../wire/codec/decode.js'
import { decodeMessage, JsonNumber, OptionalPosition } from '../../backtest/recording/codec/value-codecs.js'

// The messages of consumers to gateways over NATS, as JSON.

/** The maximum length of the identifier of a session. The library's identifiers have 22 characters. */
const maxSessionLength = 64

const isSessionId = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= maxSessionLength

/** The gateway stores it as long as the session exists. */
const SessionId = guardCodec(`an identifier of at most ${maxSessionLength} characters`, isSessionId)

/**
 * Starts a session. Its identifier is a secret of the consumer: with it, others could end the session. `maxLag`: the limit
 * of the age of prices, in ms; absent without a limit.
 */
const Open = t.intersection(
  [t.type({ type: t.literal('open'), session: SessionId }), t.partial({ maxLag: JsonNumber })],
  'an open message',
)

/**
 * Renews the lease of a session. `number`: when it was sent, by the clock of the consumer; the answer repeats it. `requests`: the number of the last subscribe
 * or unsubscribe message, 0 before the first one. By this number the gateway detects a lost message.
 */
const Renew = t.type(
  { type: t.literal('renew'), session: SessionId, number: JsonNumber, requests: JsonNumber },
  'a renew message',
)

/** `number`: counts the subscribe and unsubscribe messages of the session, from 1. The confirmation repeats it. */
const Subscribe = t.type(
  { type: t.literal('subscribe'), session: SessionId, topic: t.string, number: JsonNumber },
  'a subscribe message',
)

/** `number`: as of a subscribe message. */
const Unsubscribe = t.type(
  { type: t.literal('unsubscribe'), session: SessionId, topic: t.string, number: JsonNumber },
  'an unsubscribe message',
)

const Close = t.type({ type: t.literal('close'), session: SessionId }, 'a close message')

/**
 * A request of a price or of depth. `path`: as over HTTP. `consumer`: an identifier of the client, by which gateways take
 * turns. `timeout`: the time after which the consumer does not wait any longer, in ms. A consumer of an earlier version sends
 * neither.
 */
const Get = t.intersection(
  [
    t.type({ type: t.literal('get'), path: t.string }),
    t.partial({ consumer: t.string, timeout: JsonNumber }),
  ],
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

/** A message of an existing session. */
export type SessionMessage = Exclude<GatewayMessage, { readonly type: 'open' | 'get' | 'cancel' }>

export const encodeGatewayMessage = (message: GatewayMessage): string => JSON.stringify(message)

export const decodeGatewayMessage = (text: string): Either<DecodeError, GatewayMessage> =>
  decodeMessage('message to a gateway', GatewayMessageCodec, text)

// The messages of gateways to one consumer over NATS, as JSON. Times are those of the gateway's monotonic clock, in ms.

const isGatewayId = (value: unknown): value is string =>
  typeof value === 'string' && /^[\w-]{1,64}$/.test(value)

/** Part of subjects: with other characters, it could result in subjects of others, or in invalid subjects. */
const GatewayId = guardCodec('an identifier of a gateway', isGatewayId)

/** Answers a discovery request. `version`: of this protocol. */
const Ready = t.type({ type: t.literal('ready'), gateway: GatewayId, version: JsonNumber }, 'a ready message')

/** Answers a discovery request: the gateway cannot serve now. */
const Down = t.type({ type: t.literal('down'), reason: t.string }, 'a down message')

const Opened = t.type({ type: t.literal('opened'), time: JsonNumber }, 'an opened message')

/** Answers a renew message. */
const Renewed = t.type(
  { type: t.literal('renewed'), number: JsonNumber, time: JsonNumber },
  'a renewed message',
)

/**
 * The service has confirmed a topic. `number`: of the subscribe message. `sequence`: the number of the last update. `price`: the
 * frame of the last price, if it is current, and the time at which it was current. `position`: of the last update.
 * `pendingSince`: updates count from a further message on, because the service has not answered a probe that was sent after the
 * first subscribe message of the session. The further message is sent before the first proof that is later than this time.
 */
const Confirmed = t.intersection(
  [
    t.type({
      type: t.literal('confirmed'),
      topic: t.string,
      base: t.string,
      number: JsonNumber,
      sequence: JsonNumber,
    }),
    t.partial({
      price: t.type({ frame: t.string, time: JsonNumber }),
      pendingSince: JsonNumber,
      ...OptionalPosition,
    }),
  ],
  'a confirmed message',
)

/**
 * An error text of the service or of the gateway. `base`: the topic that it rejects. `number`: of the subscribe message that it
 * answers; gateways before version 0.2 send none.
 */
const Rejected = t.intersection(
  [
    t.type({ type: t.literal('rejected'), base: t.string, text: t.string }),
    t.partial({ number: JsonNumber }),
  ],
  'a rejected message',
)

/** The session has ended. */
const Closed = t.type({ type: t.literal('closed'), code: JsonNumber, reason: t.string }, 'a closed message')

/** The response for a get message. `lateMs`: its possible age, because the gateway was stopped. */
const Response = t.type(
  {
    type: t.literal('response'),
    status: JsonNumber,
    headers: t.record(t.string, t.string),
    body: t.string,
    lateMs: JsonNumber,
  },
  'a response message',
)

const ConsumerMessageCodec = t.union(
  [Ready, Down, Opened, Renewed, Confirmed, Rejected, Closed, Response],
  'a message of a gateway',
)

/** A message to one consumer. */
export type ConsumerMessage = Readonly<t.TypeOf<typeof ConsumerMessageCodec>>

export type ConsumerMessageOf<T extends ConsumerMessage['type']> = Extract<ConsumerMessage, { type: T }>

export const encodeConsumerMessage = (message: ConsumerMessage): string => JSON.stringify(message)

export const decodeConsumerMessage = (text: string): Either<DecodeError, ConsumerMessage> =>
  decodeMessage('message of a gateway', ConsumerMessageCodec, text)
