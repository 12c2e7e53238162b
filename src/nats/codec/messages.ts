import type { Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts/lib/index.js'
import { decodeMessage, JsonNumber, OptionalPosition } from '../../backtest/recording/codec/value-codecs.js'
import type { DecodeError } from '../../base/errors/model.js'
import { guardCodec } from '../../wire/codec/decode.js'

// The messages between consumers and gateways, as JSON: docs/reference/nats-protocol.md.

const message = <T extends string, F extends t.Props>(type: T, fields: F) =>
  t.type({ type: t.literal(type), ...fields }, `a message ${type}`)

/** The maximum length of the identifier of a session, or of a consumer. The library's identifiers have 22 characters. */
const maxIdLength = 64

/** The gateway stores it. That of a session is a secret of its consumer. */
const Id = guardCodec(
  `an identifier of at most ${maxIdLength} characters`,
  (value): value is string => typeof value === 'string' && value.length <= maxIdLength,
)

/** Part of subjects: with other characters, it could result in subjects of others, or in invalid subjects. */
const GatewayId = guardCodec(
  'an identifier of a gateway',
  (value): value is string => typeof value === 'string' && /^[\w-]{1,64}$/.test(value),
)

/** `number`: counts the requests of topics of a session, from 1. */
const topicRequest = { session: Id, topic: t.string, number: JsonNumber }

const GatewayMessageCodec = t.union(
  [
    t.intersection([message('open', { session: Id }), t.partial({ maxLag: JsonNumber })]),
    // `number`: when it was sent, by the clock of the consumer. `requests`: the number of the last request of a topic.
    message('renew', { session: Id, number: JsonNumber, requests: JsonNumber }),
    message('subscribe', topicRequest),
    message('unsubscribe', topicRequest),
    message('close', { session: Id }),
    message('get', { path: t.string, consumer: Id, timeout: JsonNumber }),
    message('cancel', {}),
  ],
  'a message to a gateway',
)

/** A message to one gateway. */
export type GatewayMessage = Readonly<t.TypeOf<typeof GatewayMessageCodec>>

export type GatewayMessageOf<T extends GatewayMessage['type']> = Extract<GatewayMessage, { type: T }>

export const encodeGatewayMessage = (value: GatewayMessage): string => JSON.stringify(value)

export const decodeGatewayMessage = (text: string): Either<DecodeError, GatewayMessage> =>
  decodeMessage('message to a gateway', GatewayMessageCodec, text)

const confirmed = { topic: t.string, base: t.string, number: JsonNumber, sequence: JsonNumber }

const response = { status: JsonNumber, headers: t.record(t.string, t.string), body: t.string }

const ConsumerMessageCodec = t.union(
  [
    message('ready', { gateway: GatewayId, version: JsonNumber }),
    message('down', { reason: t.string }),
    message('opened', { time: JsonNumber }),
    message('renewed', { number: JsonNumber, time: JsonNumber }),
    t.intersection([
      message('confirmed', confirmed),
      t.partial({
        price: t.type({ frame: t.string, time: JsonNumber }),
        // Updates count from a further message on, because the service has not answered a probe that was sent after the first
        // request of the session. The further message is sent before the first proof that is later than this time.
        pendingSince: JsonNumber,
        ...OptionalPosition,
      }),
    ]),
    message('rejected', { base: t.string, number: JsonNumber, text: t.string }),
    message('closed', { code: JsonNumber, reason: t.string }),
    // `lateMs`: its possible age, because the gateway was stopped.
    message('response', { ...response, lateMs: JsonNumber }),
  ],
  'a message of a gateway',
)

/** A message to one consumer. */
export type ConsumerMessage = Readonly<t.TypeOf<typeof ConsumerMessageCodec>>

export type ConsumerMessageOf<T extends ConsumerMessage['type']> = Extract<ConsumerMessage, { type: T }>

export const encodeConsumerMessage = (value: ConsumerMessage): string => JSON.stringify(value)

export const decodeConsumerMessage = (text: string): Either<DecodeError, ConsumerMessage> =>
  decodeMessage('message of a gateway', ConsumerMessageCodec, text)
