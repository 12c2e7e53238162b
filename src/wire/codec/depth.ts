import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts/lib/index.js'
import type { DepthSide, DepthSnapshot } from '../../base/domain/depth.js'
import { isAmount, isPriceValue } from '../../base/domain/valid-numbers.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import type { DecodeError } from '../../base/errors/model.js'
import { jsonNumberPattern, type JsonProblem, malformedError, parseJson, toDecodeError } from './decode.js'
import { EpochMillis, MidpointPrice, UsdAmount, Quantity } from './number.js'
import { standardCodec } from './standard-schema.js'

/** One side of a depth body on the wire. */
export const DepthSideBody = standardCodec(
  t.type({ total_quantity: Quantity, total_quantity_usd: UsdAmount }, 'an object'),
)

/** A depth body on the wire (section 2.1 of the service's documentation). */
export const DepthBody = standardCodec(
  t.type(
    { price: MidpointPrice, timestamp: EpochMillis, buy: DepthSideBody, sell: DepthSideBody },
    'a depth object',
  ),
)

/**
 * Decodes the text of a depth response. Quantities are exact at any size. Unknown fields are ignored.
 *
 * @example
 * const side = '{"total_quantity":9336472979533427000,"total_quantity_usd":25044.1}'
 * decodeDepth(`{"price":2682.5,"timestamp":0,"buy":${side},"sell":${side}}`)
 * // Right({ price: 2682.5, timestamp: 0, buy: { totalQuantity: 9336472979533427000n, … })
 * decodeDepth('{"price":0}') // Left(DecodeError: depth: price: expected a finite number above 0, got 0; …)
 */
export const decodeDepth = (text: string): Either<DecodeError, DepthSnapshot> => {
  const depth = recogniseDepth(text)
  return depth === undefined ? decodeDepthSlowPath(text) : right(depth)
}

/** Decodes any depth body, and builds every error. Exported for the differential tests of the fast path. */
export const decodeDepthSlowPath = (text: string): Either<DecodeError, DepthSnapshot> => {
  const json = parseWithQuantities(text)
  if (isLeft(json)) return left(malformedError('depth', text, 'JSON', json.left))
  const body = DepthBody.decode(json.right)
  if (isLeft(body)) return left(toDecodeError('depth', text, body.left))
  const { price, timestamp, buy, sell } = body.right
  return right({ price, timestamp, buy: toSide(buy), sell: toSide(sell) })
}

/** Parses JSON with its quantities as text, because a 64-bit float does not have all their digits. */
const parseWithQuantities = (text: string): Either<JsonProblem, unknown> => {
  const json = parseJson(text)
  return isLeft(json) ? json : parseJson(text.replace(quantityField, '$1"$2"'), withoutPrototype)
}

/**
 * A quantity in a valid JSON text. In a string, the last quotation mark would be escaped, so that this is a field; one whose name
 * ends like that of a quantity is ignored anyway. A name that is written with escapes does not match: its quantity is exact up
 * to 2^53, and invalid above.
 */
const quantityField = /("total_quantity"\s*:\s*)(-?\d[\d.eE+-]*)/g

/** io-ts copies objects by assignment, so a field named `__proto__` would set the prototype of the copy. */
const withoutPrototype = (name: string, value: unknown): unknown => (name === '__proto__' ? undefined : value)

const toSide = (side: t.TypeOf<typeof DepthSideBody>): DepthSide =>
  createDepthSide({ totalQuantity: side.total_quantity, totalQuantityUsd: side.total_quantity_usd })

/** A side that `JSON.stringify` accepts. `toJSON` is not enumerable: comparisons, spreads, clones and logs see two fields. */
export const createDepthSide = ({ totalQuantity, totalQuantityUsd }: DepthSide): DepthSide =>
  Object.defineProperty({ totalQuantity, totalQuantityUsd }, 'toJSON', sideToJson)

const sideToJson = {
  value(this: DepthSide): object {
    const { totalQuantity, totalQuantityUsd } = this
    // A program may define its own form of a bigint; that form is used.
    const isDefined = 'toJSON' in BigInt.prototype
    return { totalQuantity: isDefined ? totalQuantity : String(totalQuantity), totalQuantityUsd }
  },
  configurable: true,
  writable: true,
}

/**
 * The JSON text of a depth (section 2.1 of the service's documentation). Quantities are JSON numbers with all their digits.
 * `decodeDepth` returns the same price, timestamp and sides; other fields, such as `receivedAt`, are not part of the text.
 * Throws a `ConfigurationError` that names the field if the service could not send the value, such as `NaN` as a price.
 *
 * @example
 * const side = { totalQuantity: 9336472979533427000n, totalQuantityUsd: 25044.1 }
 * decodeDepth(encodeDepth({ price: 2682.5, timestamp: 0, buy: side, sell: side }))
 * // Right({ price: 2682.5, timestamp: 0, buy: { totalQuantity: 9336472979533427000n, … })
 */
export const encodeDepth = ({ price, timestamp, buy, sell }: DepthSnapshot): string =>
  `{"price":${encode('price', price, MidpointPrice)},"timestamp":${encode('timestamp', timestamp, EpochMillis)},` +
  `"buy":${encodeSide('buy', buy)},"sell":${encodeSide('sell', sell)}}`

const encodeSide = (path: string, { totalQuantity, totalQuantityUsd }: DepthSide): string => {
  const quantity = encode(`${path}.totalQuantity`, totalQuantity, Quantity)
  return `{"total_quantity":${quantity},"total_quantity_usd":${encode(`${path}.totalQuantityUsd`, totalQuantityUsd, UsdAmount)}}`
}

const encode = <A extends number | bigint>(path: string, value: A, codec: t.Type<A, unknown>): string => {
  if (!codec.is(value)) throw new ConfigurationError(`depth.${path}`, `expected ${codec.name}`)
  // `String` drops the sign.
  return Object.is(value, -0) ? '-0' : String(value)
}

const number = `(${jsonNumberPattern})`

/** A JSON integer of at least 0, without fraction and exponent. */
const digits = String.raw`(0|[1-9]\d*)`

const objectOf = (fields: Readonly<Record<string, string>>): string => {
  const members = Object.entries(fields).map(([name, value]) => `"${name}": ?${value}`)
  return String.raw`\{${members.join(', ?')}\}`
}

const sidePattern = objectOf({ total_quantity: digits, total_quantity_usd: number })

/** No digit can follow a number, so that a string matches in one way only. A mismatch therefore takes linear time. */
const depthPattern = new RegExp(
  `^${objectOf({ price: number, timestamp: number, buy: sidePattern, sell: sidePattern })}$`,
)

/**
 * Decodes a depth body in the documented layout: these fields and no others, in this order, compact or with one space
 * after each colon and comma. Returns `undefined` for any other body, which then takes the slow path.
 *
 * Why it is correct: by the grammar of JSON, a matching text is an object with exactly these fields, without duplicate
 * keys and escapes. Each group is the text of a number, and the slow path converts and checks it in the same way. A body
 * that fails a check takes the slow path too, which builds the error.
 */
export const recogniseDepth = (text: string): DepthSnapshot | undefined => {
  const match = depthPattern.exec(text)
  if (match === null) return undefined
  const price = Number(match[1])
  const timestamp = Number(match[2])
  const buyUsd = Number(match[4])
  const sellUsd = Number(match[6])
  const isValid =
    isPriceValue(price) && Number.isSafeInteger(timestamp) && isAmount(buyUsd) && isAmount(sellUsd)
  if (!isValid) return undefined
  return {
    price,
    timestamp,
    buy: createDepthSide({ totalQuantity: BigInt(match[3] ?? ''), totalQuantityUsd: buyUsd }),
    sell: createDepthSide({ totalQuantity: BigInt(match[5] ?? ''), totalQuantityUsd: sellUsd }),
  }
}
