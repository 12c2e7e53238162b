import type { Type } from 'io-ts/lib/index.js'
import type { DepthSide, DepthSnapshot } from '../domain/depth.js'
import { ConfigurationError } from '../errors/configuration-error.js'
import { EpochMillis, MidpointPrice, UsdAmount } from './number.js'
import { Quantity } from './quantity.js'

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

const encode = <A extends number | bigint>(path: string, value: A, codec: Type<A, unknown>): string => {
  if (!codec.is(value)) throw new ConfigurationError(`depth.${path}`, `expected ${codec.name}`)
  // `String` drops the sign.
  return Object.is(value, -0) ? '-0' : String(value)
}
