import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts/lib/index.js'
import { malformedError, toDecodeError } from '../../codec/decode.js'
import { parseJson } from '../../codec/json.js'
import type { DecodeError } from '../../errors/model.js'
import { escapeUnsafe } from '../../errors/text.js'
import { DepthErrorValue, PriceErrorValue, UncorrelatedErrorValue } from './error-codecs.js'
import { encodeNumber } from './non-json-number.js'
import { priceRowText } from './price-row-text.js'
import type { RecordingHeader, Row } from './row.js'
import {
  Finite,
  RecordedAddress,
  RecordedDepth,
  RecordedPrice,
  RecordedStatus,
  RecordedTime,
  RecordedTopic,
} from './value-codecs.js'

const either = <E, A>(error: t.Type<E, unknown>, value: t.Type<A, unknown>): t.Type<Either<E, A>, unknown> =>
  t.union([
    t.strict({ _tag: t.literal('Right'), right: value }),
    t.strict({ _tag: t.literal('Left'), left: error }),
  ])

const RowValue: t.Type<Row, unknown> = t.union(
  [
    t.strict({
      _tag: t.literal('Price'),
      at: RecordedTime,
      topic: RecordedTopic,
      event: either(PriceErrorValue, RecordedPrice),
    }),
    t.strict({
      _tag: t.literal('Depth'),
      at: RecordedTime,
      mint: RecordedAddress,
      event: either(DepthErrorValue, RecordedDepth),
    }),
    t.strict({ _tag: t.literal('End'), at: RecordedTime, of: t.union([RecordedTopic, RecordedAddress]) }),
    t.strict({ _tag: t.literal('Status'), at: RecordedTime, status: RecordedStatus }),
    t.strict({ _tag: t.literal('Uncorrelated'), at: RecordedTime, error: UncorrelatedErrorValue }),
  ],
  'a row of a recording',
)

const HeaderTag = t.type({ _tag: t.literal('Recording') })

const HeaderValue: t.Type<RecordingHeader, unknown> = t.intersection(
  [
    t.strict({
      _tag: t.literal('Recording'),
      version: t.literal(1),
      at: RecordedTime,
      topics: t.readonlyArray(RecordedTopic),
      mints: t.readonlyArray(RecordedAddress),
      interval: Finite,
    }),
    t.exact(t.partial({ continues: RecordedTime })),
  ],
  'the header of a recording',
)

/**
 * The row as one line of JSON, without a line end. Quantities are decimal strings, so that they keep all digits. Texts
 * of the service are escaped, because users print recordings on a terminal.
 */
export const encodeRow = (row: Row | RecordingHeader): string => priceRowText(row) ?? encodeAnyRow(row)

/** `encodeRow` of all rows. For a price row, `priceRowText` writes the same text faster. */
export const encodeAnyRow = (row: Row | RecordingHeader): string =>
  escapeUnsafe(JSON.stringify(row, encodeValue))

const encodeValue = (_key: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return String(value)
  return typeof value === 'number' ? encodeNumber(value) : value
}

/** True if the line is a header, of any version. */
export const isHeaderLine = (line: string): boolean => {
  const json = parseJson(line)
  return isRight(json) && HeaderTag.is(json.right)
}

/** Decodes any line after the header. Unknown fields are dropped. */
export const decodeRow = (line: string): Either<DecodeError, Row> => decodeLine(line, RowValue)

export const decodeHeader = (line: string): Either<DecodeError, RecordingHeader> =>
  decodeLine(line, HeaderValue)

const decodeLine = <A>(line: string, codec: t.Type<A, unknown>): Either<DecodeError, A> => {
  const json = parseJson(line)
  if (isLeft(json)) return left(malformedError(codec.name, line, 'JSON', json.left))
  const value = codec.decode(json.right)
  return isLeft(value) ? left(toDecodeError(codec.name, line, value.left)) : right(value.right)
}
