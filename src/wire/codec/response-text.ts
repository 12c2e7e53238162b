import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { isPriceValue } from '../../base/domain/valid-numbers.js'
import { httpError, unauthorized, unsupportedPair } from '../../base/errors/constructors.js'
import type { DecodeError, HttpError, Unauthorized, UnsupportedPair } from '../../base/errors/model.js'
import { truncate } from '../../base/errors/text.js'
import { malformedError } from './decode.js'

// A mismatch takes linear time, because no digit can belong to two parts.
const priceTextPattern = /^\+?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/**
 * Decodes the body of a price response: one decimal number, in USD (section 4.2 of the service's documentation).
 *
 * @example
 * decodePriceText('2682.505') // Right(2682.505)
 * decodePriceText('12abc') // Left(DecodeError: price: expected a decimal number above 0, got "12abc")
 */
export const decodePriceText = (text: string): Either<DecodeError, number> => {
  const body = text.trim()
  const price = priceTextPattern.test(body) ? Number(body) : NaN
  return isPriceValue(price) ? right(price) : left(malformedError('price', text, 'a decimal number above 0'))
}

// Error responses of the service: a status and a plain text (section 7 of the service's documentation).

/** A response whose status is not 200. */
export interface FailedResponse {
  readonly status: number
  readonly body: string
  readonly retryAfterMs: number | undefined
}

const unsupportedToken =
  /^\s*UnsupportedPair\(\s*Token\s*\{\s*addr:\s*"([^"]*)"\s*\},\s*Token\s*\{\s*addr:\s*"([^"]*)"\s*\}\s*\)/
const invalidTuple = /^\s*Invalid \(exchange, base, quote\) tuple/
const pair = /does not support the pair \(([^\s,()]+),\s*([^\s,()]+)\)/

export const depthFailure = (response: FailedResponse): Unauthorized | UnsupportedPair | HttpError => {
  const body = truncate(response.body)
  if (response.status === 401) return unauthorized(body)
  const tokens = response.status === 500 ? unsupportedToken.exec(body) : null
  return tokens === null
    ? httpError(response.status, body, response.retryAfterMs)
    : unsupportedPair(tokens[1], tokens[2], body)
}

export const priceFailure = (response: FailedResponse): UnsupportedPair | HttpError => {
  const body = truncate(response.body)
  if (response.status !== 500 || !invalidTuple.test(body)) {
    return httpError(response.status, body, response.retryAfterMs)
  }
  const addresses = pair.exec(body)
  return unsupportedPair(addresses?.[1], addresses?.[2], body)
}
