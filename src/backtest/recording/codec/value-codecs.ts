import { isLeft, left, map, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts/lib/index.js'
import { guardCodec, malformedError, parseJson, toDecodeError } from '../../../wire/codec/decode.js'
import { PriceValue, UsdAmount, Quantity } from '../../../wire/codec/number.js'
import { isAddress, type Address, isTopicOfAnyService, type Topic } from '../../../base/domain/topic.js'
import type { Depth, DepthSide } from '../../../base/domain/depth.js'
import { createDepthSide } from '../../../wire/codec/depth.js'
import { readPosition, type PricePosition } from '../../../base/domain/past.js'
import type { Price } from '../../../base/domain/price.js'
import type { ConnectionStatus } from '../../../base/domain/snapshot.js'
import type { DecodeError } from '../../../base/errors/model.js'
import { isEpoch, isRecordedTime, isValueTime } from './times.js'

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

const numberWhere = (name: string, isAllowed: (value: number) => boolean): t.Type<number> =>
  guardCodec(name, (value): value is number => typeof value === 'number' && isAllowed(value))

/** io-ts's own number accepts NaN and Infinity. */
export const JsonNumber = numberWhere('a finite number', Number.isFinite)

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

export const RecordedTime = numberWhere('a time in ms since the Unix epoch', isRecordedTime)

const ValueTime = numberWhere('a time in ms since the Unix epoch, below 2^53', isValueTime)

const Epoch = numberWhere('an integer of at least 0, below 2^53', isEpoch)

export const RecordedPrice: t.Type<Price, unknown> = t.strict(
  { topic: RecordedTopic, price: PriceValue, receivedAt: ValueTime, epoch: Epoch },
  'a price',
)

const sideFields = t.strict({ totalQuantity: Quantity, totalQuantityUsd: UsdAmount }, 'a side')

const side = new t.Type<DepthSide, unknown>(
  sideFields.name,
  sideFields.is,
  (value, context) => map(createDepthSide)(sideFields.validate(value, context)),
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
    t.strict({ _tag: t.literal('Connecting'), attempt: JsonNumber }),
    t.exact(
      t.intersection([
        t.type({ _tag: t.literal('Open'), epoch: JsonNumber, since: JsonNumber }),
        t.partial({ behindMs: JsonNumber, switches: JsonNumber }),
      ]),
    ),
    t.strict({ _tag: t.literal('Waiting'), attempt: JsonNumber, retryInMs: JsonNumber, reason: t.string }),
    t.strict({ _tag: t.literal('Closed') }),
  ],
  'a status',
)
