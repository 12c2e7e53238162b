import { isLeft, left, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts/lib/index.js'
import { type PastEvent, readPosition } from '../../base/domain/past.js'
import type { EmitPast } from '../recording/summary/topic-past.js'
import type { DecodeError } from '../../base/errors/model.js'
import { malformedError, parseJson, toDecodeError } from '../../wire/codec/decode.js'
import { PriceValue } from '../../wire/codec/number.js'
import { decodeMessage, JsonNumber, RecordedTopic } from '../recording/codec/value-codecs.js'

const PastEventValue: t.Type<PastEvent, unknown> = t.union(
  [
    t.strict({ _tag: t.literal('PastPrice'), topic: RecordedTopic, price: PriceValue, at: JsonNumber }),
    t.strict({
      _tag: t.literal('Gap'),
      topic: RecordedTopic,
      from: JsonNumber,
      to: JsonNumber,
      cause: t.keyof({ disconnected: null, stale: null, unrecorded: null }),
    }),
  ],
  'an event of the past',
)

export const emitPastLine = (line: string, emit: EmitPast): Either<DecodeError, unknown> => {
  const { name } = PastEventValue
  const json = parseJson(line)
  if (isLeft(json)) return left(malformedError(name, line, 'a JSON object', json.left))
  const event = PastEventValue.decode(json.right)
  if (isLeft(event)) return left(toDecodeError(name, line, event.left))
  emit(event.right, readPosition((json.right as PastEvent & { readonly position?: unknown }).position))
  return event
}

const CoveredTopicsValue = t.readonlyArray(
  t.strict({ topic: RecordedTopic, from: JsonNumber, to: JsonNumber }),
  'the topics of a history',
)

export const decodeCoveredTopics = (text: string): Either<DecodeError, t.TypeOf<typeof CoveredTopicsValue>> =>
  decodeMessage(CoveredTopicsValue.name, CoveredTopicsValue, text, 'JSON')
