import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { isPriceValue } from '../domain/valid-numbers.js'
import type { DecodeError } from '../errors/model.js'
import { malformedError } from './decode-error.js'

const priceTextPattern = /^\+?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

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
