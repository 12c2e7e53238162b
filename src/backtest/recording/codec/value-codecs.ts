import { isLeft, left, map, type Either } from 'fp-ts/lib/Either.js'
import { flow } from 'fp-ts/lib/function.js'
import * as t from 'io-ts/lib/index.js'
import { guardCodec, malformedError, parseJson, toDecodeError } from '../../../wire/codec/decode.js'
import { PriceValue, UsdAmount, Quantity } from '../../../wire/codec/number.js'
import { isAddress, type Address } from '../../../base/domain/address.js'
import { createDepthSide, type Depth, type DepthSide } from '../../../base/domain/depth.js'
import { readPosition, type PricePosition } from '../../../base/domain/position.js'
import type { Price } from '../../../base/domain/price.js'
import type { ConnectionStatus } from '../../../base/domain/status.js'
import { isTopicOfAnyService, type Topic } from '../../../base/domain/topic.js'
import type { DecodeError } from '../../../base/errors/model.js'
import { isEpoch, isValueTime, maxTime, unitOfTime } from './times.js'

// Codecs of the library's values in a recording.

/** Decodes JSON. `what`: the kind of message, for errors. `form`: its form, for the error of a text that is not JSON. */
export const decodeMessage = <A>(
  what: string,
  codec: t.Type<A, unknown>,
  text: string,
  form = 'a JSON object',
): Either<DecodeError, A> => {
  const json = parseJson(text)
  if (isLeft(json)) return left(malformedError(what, text, form, json.left))
  const decoded = codec.decode(json.right)
  return isLeft(decoded) ? left(toDecodeError(what, text, decoded.left)) : decoded
}

/** io-ts's own number accepts NaN and Infinity. */
export const JsonNumber = guardCodec('a finite number', (value): value is number => Number.isFinite(value))

/** A topic of any service. */
export const RecordedTopic = guardCodec<Topic>('a topic', isTopicOfAnyService)

export const RecordedAddress = guardCodec<Address>('an address', isAddress)

/** The field of an object that may have a position. */
export const OptionalPosition = {
  position: new t.Type<PricePosition | undefined, unknown>(
    'a position',
    (value): value is PricePosition | undefined => value === undefined || readPosition(value) !== undefined,
    (value) => t.success(readPosition(value)),
    t.identity,
  ),
}

/** Numbers that `JSON.stringify` writes as `null` or `0`. A recording writes them as strings. */
const numbersByName: ReadonlyMap<unknown, number> = new Map(
  ['NaN', 'Infinity', '-Infinity', '-0'].map((name) => [name, Number(name)]),
)

/** The string for such a number; any other value unchanged. */
export const encodeNumber = (value: unknown): unknown => {
  for (const [name, number] of numbersByName) if (Object.is(value, number)) return name
  return value
}

/** The number for such a string; any other value unchanged. */
const decodeNumber = (value: unknown): unknown => numbersByName.get(value) ?? value

const numberWhere = (isAllowed: (value: number) => boolean, name = 'a number'): t.Type<number> => {
  const is = (value: unknown): value is number => typeof value === 'number' && isAllowed(value)
  const validate = (input: unknown, context: t.Context): t.Validation<number> => {
    const value = decodeNumber(input)
    return is(value) ? t.success(value) : t.failure(input, context)
  }
  return new t.Type(name, is, validate, t.identity)
}

/** Any number, `NaN` and the infinities included. */
export const AnyNumber = numberWhere(() => true)

export const Finite = numberWhere(Number.isFinite)

/** True for the time of a line. Timers cannot add 1 ms to a number that is much larger. */
export const isRecordedTime = (value: number): boolean => Math.abs(value) <= maxTime

/** The time of a line. It may be in another unit, which the reader of the recording rejects, because it knows the first row. */
export const RecordedTime = numberWhere(
  (value) => isRecordedTime(value) || unitOfTime(value) !== undefined,
  'a time in ms since the Unix epoch',
)

const ValueTime = numberWhere(isValueTime, 'a time in ms since the Unix epoch, below 2^53')

const Epoch = numberWhere(isEpoch, 'an integer of at least 0, below 2^53')

export const RecordedPrice: t.Type<Price, unknown> = t.strict(
  { topic: RecordedTopic, price: PriceValue, receivedAt: ValueTime, epoch: Epoch },
  'a price',
)

const sideFields = t.strict({ totalQuantity: Quantity, totalQuantityUsd: UsdAmount }, 'a side')

const side = new t.Type<DepthSide, unknown>(
  sideFields.name,
  sideFields.is,
  flow(sideFields.validate, map(createDepthSide)),
  sideFields.encode,
)

export const RecordedDepth: t.Type<Depth, unknown> = t.strict(
  {
    mint: RecordedAddress,
    price: PriceValue,
    timestamp: ValueTime,
    buy: side,
    sell: side,
    receivedAt: ValueTime,
  },
  'a depth',
)

export const RecordedStatus: t.Type<ConnectionStatus, unknown> = t.union(
  [
    t.strict({ _tag: t.literal('Idle') }),
    t.strict({ _tag: t.literal('Connecting'), attempt: Finite }),
    t.exact(
      t.intersection([
        t.type({ _tag: t.literal('Open'), epoch: Finite, since: Finite }),
        t.partial({ behindMs: Finite, switches: Finite }),
      ]),
    ),
    t.strict({ _tag: t.literal('Waiting'), attempt: Finite, retryInMs: Finite, reason: t.string }),
    t.strict({ _tag: t.literal('Closed') }),
  ],
  'a status',
)
