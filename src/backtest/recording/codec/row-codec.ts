import { isLeft, isRight, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts/lib/index.js'
import { parseJson } from '../../../wire/codec/decode.js'
import { bigintAsText } from '../../../base/domain/plain-decimal.js'
import { positionField } from '../../../base/domain/past.js'
import { isAddress } from '../../../base/domain/topic.js'
import type { DepthSide } from '../../../base/domain/depth.js'
import { isPriceValue } from '../../../base/domain/valid-numbers.js'
import { isEpoch, isRecordedTime, isValueTime } from './times.js'
import type {
  AnyError,
  DecodeError,
  DepthError,
  PriceError,
  UncorrelatedError,
} from '../../../base/errors/model.js'
import { escapeUnsafe } from '../../../base/errors/text.js'
import type { DepthRow, PriceRow, RecordingHeader, Row } from './row.js'
import {
  JsonNumber,
  OptionalPosition,
  RecordedAddress,
  RecordedDepth,
  RecordedPrice,
  RecordedStatus,
  RecordedTime,
  RecordedTopic,
  decodeMessage,
} from './value-codecs.js'

/** Without a line end. Quantities are decimal strings, to keep all digits. Texts are escaped, because users print recordings on a terminal. */
export const encodeRow = (row: Row | RecordingHeader): string =>
  escapeUnsafe(JSON.stringify(row, bigintAsText))

/** With its line end. Throws for a row that no reader accepts: a client that a caller has written may emit any value. */
export const encodeLine = (row: Row | RecordingHeader): string => {
  const fast = fastRowText(row)
  if (fast !== undefined) return `${fast}\n`
  const line = encodeRow(row)
  const decoded = row._tag === 'Recording' ? decodeHeader(line) : decodeRow(line)
  if (isLeft(decoded)) throw new Error(`no reader accepts this row: ${decoded.left.message}`)
  return `${line}\n`
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

const decodeLine = <A>(line: string, codec: t.Type<A, unknown>): Either<DecodeError, A> =>
  decodeMessage(codec.name, codec, line, 'JSON')

const optional = <A, O>(codec: t.Type<A, O>): t.Type<A | undefined, O | undefined> =>
  t.union([codec, t.undefined], `${codec.name}, or nothing`)

const issue = t.strict({ path: t.string, expected: t.string, actual: t.string })
const cause = t.strict({ name: t.string, message: t.string, code: optional(t.string) })

const tagged = <Tag extends AnyError['_tag'], P extends t.Props>(tag: Tag, fields: P) =>
  t.strict({ _tag: t.literal(tag), message: t.string, ...fields }, `an error ${tag}`)

/** JSON has no NaN and no infinities: `null` is in place of them. */
const AnyNumber = new t.Type<number>(
  'a number',
  t.number.is,
  (input, context) => t.number.validate(input === null ? NaN : input, context),
  t.identity,
)

const DecodeErrorValue = tagged('DecodeError', { input: t.string, issues: t.readonlyArray(issue) })
const ClientClosedValue = tagged('ClientClosed', {})

const PriceErrorValue: t.Type<PriceError, unknown> = t.union(
  [
    tagged('InvalidTopic', { topic: t.string }),
    tagged('SubscriptionRejected', { topic: t.string, reason: t.string }),
    tagged('SubscriptionTimeout', {
      topic: t.string,
      afterMs: JsonNumber,
      recent: t.readonlyArray(t.string),
    }),
    tagged('Disconnected', {
      code: JsonNumber,
      reason: t.string,
      attempt: JsonNumber,
      retryInMs: JsonNumber,
    }),
    tagged('Stale', {
      topic: t.string,
      silentForMs: JsonNumber,
      last: optional(RecordedPrice),
      behindMs: optional(JsonNumber),
    }),
    DecodeErrorValue,
    ClientClosedValue,
  ],
  'an error of a price',
)

const DepthErrorValue: t.Type<DepthError, unknown> = t.union(
  [
    tagged('InvalidMint', { mint: t.string }),
    tagged('InvalidInterval', { interval: AnyNumber }),
    tagged('UnsupportedPair', { base: optional(t.string), quote: optional(t.string), body: t.string }),
    tagged('Unauthorized', { body: t.string }),
    tagged('HttpError', { status: JsonNumber, body: t.string, retryAfterMs: optional(JsonNumber) }),
    tagged('NetworkError', { cause }),
    tagged('Timeout', { afterMs: JsonNumber }),
    DecodeErrorValue,
    ClientClosedValue,
  ],
  'an error of a depth',
)

const UncorrelatedErrorValue: t.Type<UncorrelatedError, unknown> = tagged('UncorrelatedError', {
  kind: t.keyof({ 'error-text': null, malformed: null, 'unknown-topic': null, binary: null }),
  input: t.string,
})

const either = <E, A>(error: t.Type<E, unknown>, value: t.Type<A, unknown>): t.Type<Either<E, A>, unknown> =>
  t.union([
    t.strict({ _tag: t.literal('Right'), right: value }),
    t.strict({ _tag: t.literal('Left'), left: error }),
  ])

const RowValue: t.Type<Row, unknown> = t.union(
  [
    t.exact(
      t.intersection([
        t.type({
          _tag: t.literal('Price'),
          at: RecordedTime,
          topic: RecordedTopic,
          event: either(PriceErrorValue, RecordedPrice),
        }),
        t.partial(OptionalPosition),
      ]),
    ) as t.Type<PriceRow, unknown>,
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

const headerName = 'the header of a recording'

const HeaderValue: t.Type<RecordingHeader, unknown> = t.intersection(
  [
    t.strict(
      {
        _tag: t.literal('Recording'),
        version: t.literal(1),
        at: RecordedTime,
        topics: t.readonlyArray(RecordedTopic),
        mints: t.readonlyArray(RecordedAddress),
        interval: JsonNumber,
      },
      headerName,
    ),
    t.exact(
      t.partial({
        continues: RecordedTime,
        assumedDepth: t.string,
        invalidRows: JsonNumber,
        candles: t.string,
      }),
      headerName,
    ),
  ],
  headerName,
)

/**
 * `JSON.stringify` takes several times as long with a replacer. The text has the known fields alone. `undefined` for a row without a
 * value, for one that readers may refuse, and for one with characters that are escaped.
 */
export const fastRowText = (row: Row | RecordingHeader): string | undefined => {
  if (row._tag === 'Price') return priceRowText(row)
  return row._tag === 'Depth' ? depthRowText(row) : undefined
}

const priceRowText = ({ at, topic, event, position }: PriceRow): string | undefined => {
  if (!isRight(event) || !isObject(event.right)) return undefined
  const { topic: name, price, receivedAt, epoch } = event.right
  if (!isPriceValue(price) || !isEpoch(epoch) || !isRecordedTime(at) || !isValueTime(receivedAt))
    return undefined
  if (!isPlainTopic(topic) || (name !== topic && !isPlainTopic(name))) return undefined
  return (
    `{"_tag":"Price","at":${at},"topic":"${topic}","event":{"_tag":"Right","right":` +
    `{"topic":"${name}","price":${price},"receivedAt":${receivedAt},"epoch":${epoch}}}` +
    `${position === undefined ? '' : positionField(position)}}`
  )
}

const depthRowText = ({ at, mint, event }: DepthRow): string | undefined => {
  if (!isRight(event) || !isObject(event.right) || !isAddress(mint) || event.right.mint !== mint)
    return undefined
  const { price, timestamp, receivedAt } = event.right
  if (!isPriceValue(price) || !isRecordedTime(at) || !isValueTime(receivedAt) || !isValueTime(timestamp))
    return undefined
  const buy = sideText(event.right.buy)
  const sell = sideText(event.right.sell)
  if (buy === undefined || sell === undefined) return undefined
  return (
    `{"_tag":"Depth","at":${at},"mint":"${mint}","event":{"_tag":"Right","right":{"mint":"${mint}","price":${price},` +
    `"timestamp":${timestamp},"buy":${buy},"sell":${sell},"receivedAt":${receivedAt}}}}`
  )
}

const sideText = (side: DepthSide): string | undefined => {
  if (!isObject(side)) return undefined
  const { totalQuantity, totalQuantityUsd: usd } = side
  if (typeof totalQuantity !== 'bigint' || totalQuantity < 0n) return undefined
  if (typeof usd !== 'number' || !(usd >= 0 && usd < Infinity)) return undefined
  return `{"totalQuantity":"${totalQuantity}","totalQuantityUsd":${usd}}`
}

/** A client that a caller has written may emit anything. */
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

/** A topic of ASCII without quotes, backslashes and control characters. */
const plainTopic = /^[ !#-[\]-~]+?-0x[0-9a-fA-F]+$/

const isPlainTopic = (value: unknown): boolean => typeof value === 'string' && plainTopic.test(value)
