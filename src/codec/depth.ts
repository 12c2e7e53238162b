import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts/lib/index.js'
import { createDepthSide, type DepthSide, type DepthSnapshot } from '../domain/depth.js'
import type { DecodeError } from '../errors/model.js'
import { malformedError, toDecodeError } from './decode-error.js'
import { recogniseDepth } from './fast-path/depth-text.js'
import { parseJsonExactly } from './json.js'
import { EpochMillis, MidpointPrice, UsdAmount } from './number.js'
import { Quantity } from './quantity.js'

/** One side of a depth body on the wire. */
export const DepthSideBody = t.type({ total_quantity: Quantity, total_quantity_usd: UsdAmount }, 'an object')

/** A depth body on the wire (section 2.1 of the service's documentation). */
export const DepthBody = t.type(
  { price: MidpointPrice, timestamp: EpochMillis, buy: DepthSideBody, sell: DepthSideBody },
  'a depth object',
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
  const json = parseJsonExactly(text)
  if (isLeft(json)) return left(malformedError('depth', text, 'JSON', json.left))
  const body = DepthBody.decode(json.right)
  if (isLeft(body)) return left(toDecodeError('depth', text, body.left))
  const { price, timestamp, buy, sell } = body.right
  return right({ price, timestamp, buy: toSide(buy), sell: toSide(sell) })
}

const toSide = (side: t.TypeOf<typeof DepthSideBody>): DepthSide =>
  createDepthSide({ totalQuantity: side.total_quantity, totalQuantityUsd: side.total_quantity_usd })
