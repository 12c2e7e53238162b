import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts/lib/index.js'
import { malformed, toDecodeError } from '../../codec/issues.js'
import { parseJson } from '../../codec/json.js'
import type { Address } from '../../domain/address.js'
import type { Depth } from '../../domain/depth.js'
import type { Price } from '../../domain/price.js'
import type { ConnectionStatus } from '../../domain/status.js'
import type { Topic } from '../../domain/topic.js'
import type { DecodeError, DepthError, PriceError, UncorrelatedError } from '../../errors/model.js'
import { DepthErrorValue, PriceErrorValue, UncorrelatedErrorValue } from './errors.js'
import { named } from './named-number.js'
import {
  Finite,
  RecordedAddress,
  RecordedDepth,
  RecordedPrice,
  RecordedStatus,
  RecordedTopic,
} from './values.js'

/** One line of a recording: something that a client gave, and when, in ms since the Unix epoch. */
export type Row = PriceRow | DepthRow | EndRow | StatusRow | UncorrelatedRow

export interface PriceRow {
  readonly _tag: 'Price'
  readonly at: number
  /** As it was asked for. */
  readonly topic: Topic
  readonly event: Either<PriceError, Price>
}

export interface DepthRow {
  readonly _tag: 'Depth'
  readonly at: number
  /** As it was asked for. */
  readonly mint: Address
  readonly event: Either<DepthError, Depth>
}

/** A stream completed. */
export interface EndRow {
  readonly _tag: 'End'
  readonly at: number
  /** The topic or the mint of the stream. */
  readonly of: Topic | Address
}

export interface StatusRow {
  readonly _tag: 'Status'
  readonly at: number
  readonly status: ConnectionStatus
}

export interface UncorrelatedRow {
  readonly _tag: 'Uncorrelated'
  readonly at: number
  readonly error: UncorrelatedError
}

/** The first line: what is recorded, and in which version of this format. */
export interface RecordingHeader {
  readonly _tag: 'Recording'
  readonly version: 1
  readonly at: number
  readonly topics: readonly Topic[]
  readonly mints: readonly Address[]
  /** Of the polls, in ms. */
  readonly interval: number
}

const either = <E, A>(error: t.Type<E, unknown>, value: t.Type<A, unknown>): t.Type<Either<E, A>, unknown> =>
  t.union([
    t.strict({ _tag: t.literal('Right'), right: value }),
    t.strict({ _tag: t.literal('Left'), left: error }),
  ])

const RowValue: t.Type<Row, unknown> = t.union(
  [
    t.strict({
      _tag: t.literal('Price'),
      at: Finite,
      topic: RecordedTopic,
      event: either(PriceErrorValue, RecordedPrice),
    }),
    t.strict({
      _tag: t.literal('Depth'),
      at: Finite,
      mint: RecordedAddress,
      event: either(DepthErrorValue, RecordedDepth),
    }),
    t.strict({ _tag: t.literal('End'), at: Finite, of: t.union([RecordedTopic, RecordedAddress]) }),
    t.strict({ _tag: t.literal('Status'), at: Finite, status: RecordedStatus }),
    t.strict({ _tag: t.literal('Uncorrelated'), at: Finite, error: UncorrelatedErrorValue }),
  ],
  'a row of a recording',
)

const HeaderValue: t.Type<RecordingHeader, unknown> = t.strict(
  {
    _tag: t.literal('Recording'),
    version: t.literal(1),
    at: Finite,
    topics: t.readonlyArray(RecordedTopic),
    mints: t.readonlyArray(RecordedAddress),
    interval: Finite,
  },
  'the header of a recording',
)

/** A row as a line of JSON, without the line's end. Quantities are decimal strings: no reader loses a digit. */
export const encodeRow = (row: Row | RecordingHeader): string => JSON.stringify(row, jsonValue)

const jsonValue = (_key: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return String(value)
  return typeof value === 'number' ? named(value) : value
}

export const decodeRow = (line: string): Either<DecodeError, Row> => decodeLine(line, RowValue)

export const decodeHeader = (line: string): Either<DecodeError, RecordingHeader> =>
  decodeLine(line, HeaderValue)

const decodeLine = <A>(line: string, codec: t.Type<A, unknown>): Either<DecodeError, A> => {
  const json = parseJson(line)
  if (isLeft(json)) return left(malformed(codec.name, line, 'JSON', json.left))
  const value = codec.decode(json.right)
  return isLeft(value) ? left(toDecodeError(codec.name, line, value.left)) : right(value.right)
}
