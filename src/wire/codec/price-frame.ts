import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts/lib/index.js'
import { readPosition, type PricePosition } from '../../base/domain/past.js'
import type { Topic } from '../../base/domain/topic.js'
import type { DecodeError } from '../../base/errors/model.js'
import { malformedError, maxIssues, parseJson, toDecodeError } from './decode.js'
import { PriceAge, PriceValue } from './number.js'
import { standardCodec } from './standard-schema.js'

// The text frames of the price WebSocket, in both directions.

/** The frame that subscribes to a topic (section 4.3 of the service's documentation). */
export const subscribeFrame = (topic: Topic): string => JSON.stringify({ method: 'subscribe', topic })

/** The frame that unsubscribes from a topic (section 4.3 of the service's documentation). */
export const unsubscribeFrame = (topic: Topic): string => JSON.stringify({ method: 'unsubscribe', topic })

/** A price update on the wire (section 6 of the service's documentation). */
export const PriceUpdate = standardCodec(t.type({ topic: t.string, price: PriceValue }, 'a price update'))

/** A price update of a gateway that is not sent on arrival: `age` is the ms since the gateway received the price. */
const AgedPriceUpdate = t.type({ ...PriceUpdate.props, age: PriceAge }, PriceUpdate.name)

/** Like `t.array(t.string)`, but does not copy the array, and stops after more faults than an error reports. */
const Topics = new t.Type<string[], string[], unknown>(
  'an array of topics',
  (value): value is string[] => Array.isArray(value) && value.every((topic) => typeof topic === 'string'),
  (input, context) => {
    if (!Array.isArray(input)) return t.failure(input, context)
    const faults: t.Errors = []
    for (const [index, value] of input.entries()) {
      if (typeof value === 'string') continue
      faults.push({ value, context: t.appendContext(context, String(index), t.string, value) })
      if (faults.length > maxIssues) break
    }
    return faults.length > 0 ? t.failures(faults) : t.success(input)
  },
  t.identity,
)

/** The response to a subscribe message on the wire. That of a gateway may also have a `position`. */
export const SubscriptionConfirmation = standardCodec(
  t.type({ subscriptions: Topics }, 'a subscription confirmation'),
)

/** The frame by which a gateway announces that it will close the connection. The service itself sends none. */
export const drainingFrame = JSON.stringify({ notice: 'draining' })

/**
 * The content of a text frame of the price WebSocket. `topic` is the text that the service sent. `age`: the ms since a
 * gateway received the price; the service itself sends none. `position`: of this price, or of the last price of the
 * confirmed topic; sent by gateways only.
 */
export type Frame =
  | {
      readonly _tag: 'PriceUpdate'
      readonly topic: string
      readonly price: number
      readonly age?: number
      readonly position?: PricePosition
    }
  | {
      readonly _tag: 'Confirmation'
      readonly subscriptions: readonly string[]
      readonly position?: PricePosition & { readonly topic: string }
    }
  | { readonly _tag: 'ErrorText'; readonly text: string }

/** A JSON frame that matches no kind of `Frame`. `topic` is the topic that it names, if any. */
export interface MalformedFrame {
  readonly _tag: 'Malformed'
  readonly topic: string | undefined
  readonly error: DecodeError
}

/** Decodes a frame by the client rules of section 6 of the service's documentation. */
export const readFrame = (text: string): Frame | MalformedFrame => {
  const json = parseJson(text)
  if (isLeft(json)) return { _tag: 'ErrorText', text }
  const value = json.right
  return isRecord(value) && Object.hasOwn(value, 'subscriptions')
    ? readConfirmation(text, value)
    : readPriceUpdate(text, value)
}

/**
 * Decodes a text frame. Text that is not JSON is an error text from the service, not a decode error.
 *
 * @example
 * decodeFrame('{"topic":"svc-0xab","price":1.5}') // Right({ _tag: 'PriceUpdate', topic: 'svc-0xab', price: 1.5 })
 * decodeFrame('{"topic":"svc-0xab","price":null}') // Left(DecodeError)
 */
export const decodeFrame = (text: string): Either<DecodeError, Frame> => {
  const frame = readFrame(text)
  return frame._tag === 'Malformed' ? left(frame.error) : right(frame)
}

const readConfirmation = (text: string, value: Readonly<Record<string, unknown>>): Frame | MalformedFrame => {
  const decoded = SubscriptionConfirmation.decode(value)
  if (isLeft(decoded))
    return { _tag: 'Malformed', topic: undefined, error: toDecodeError('frame', text, decoded.left) }
  const { subscriptions } = decoded.right
  const position = readPosition(value['position'])
  const topic = topicIn(value['position'])
  return position === undefined || topic === undefined
    ? { _tag: 'Confirmation', subscriptions }
    : { _tag: 'Confirmation', subscriptions, position: { topic, ...position } }
}

const readPriceUpdate = (text: string, value: unknown): Frame | MalformedFrame => {
  const codec: t.Decoder<unknown, { readonly topic: string; readonly price: number; readonly age?: number }> =
    isRecord(value) && Object.hasOwn(value, 'age') ? AgedPriceUpdate : PriceUpdate
  const decoded = codec.decode(value)
  if (isLeft(decoded)) {
    const error = isRecord(value)
      ? toDecodeError('frame', text, decoded.left)
      : malformedError('frame', text, 'a price update or a subscription confirmation')
    return { _tag: 'Malformed', topic: topicIn(value), error }
  }
  const { topic, price, age } = decoded.right
  const position = readPosition((value as { readonly position?: unknown }).position)
  if (age === undefined && position === undefined) return { _tag: 'PriceUpdate', topic, price }
  return {
    _tag: 'PriceUpdate',
    topic,
    price,
    ...(age === undefined ? {} : { age }),
    ...(position === undefined ? {} : { position }),
  }
}

const topicIn = (value: unknown): string | undefined =>
  isRecord(value) && typeof value['topic'] === 'string' ? value['topic'] : undefined

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
