import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { isAddress, type Address, defaultService, isTopicOf, type Topic } from '../../base/domain/topic.js'
import { isInterval, decimalsSyntax, isDecimals } from '../../base/domain/valid-numbers.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { invalidMint, invalidInterval, invalidTopic } from '../../base/errors/constructors.js'
import type { InvalidMint, InvalidInterval, InvalidTopic, DecodeError } from '../../base/errors/model.js'
import { asText } from '../../base/errors/text.js'
import { malformedError } from './decode.js'

/**
 * Validates a token's contract address and returns it unchanged.
 *
 * @example
 * parseAddress('0x82aF') // Right('0x82aF')
 * parseAddress('82af') // Left(InvalidMint)
 */
export const parseAddress = (text: string): Either<InvalidMint, Address> =>
  isAddress(text) ? right(text) : left(invalidMint(text))

export const parseInterval = (interval: number): Either<InvalidInterval, number> =>
  isInterval(interval) ? right(interval) : left(invalidInterval(interval))

/**
 * Validates a topic and returns it unchanged. `service`: the service's name; default `svc`.
 *
 * @example
 * parseTopic('svc-0x82aF') // Right('svc-0x82aF')
 * parseTopic('svc-82af') // Left(InvalidTopic)
 */
export const parseTopic = (text: string, service: string = defaultService): Either<InvalidTopic, Topic> =>
  isTopicOf(text, service) ? right(text) : left(invalidTopic(text, service))

/**
 * Builds the topic of a token's address.
 *
 * @example
 * topicOf('0x82af') // Right('svc-0x82af')
 */
export const topicOf = (address: string, service: string = defaultService): Either<InvalidTopic, Topic> =>
  parseTopic(`${service}-${address}`, service)

/**
 * The exact number of tokens, as decimal text without grouping, exponent or trailing zeros. `quantity`: in base-token
 * units. `decimals`: of the token, 0 to 255; one token is 10 to the power of `decimals` units. Throws a
 * `ConfigurationError` if `decimals` or the type of `quantity` is invalid.
 *
 * @example
 * formatQuantity(50973900000000000000n, 18) // '50.9739'
 * formatQuantity(-5n, 2) // '-0.05'
 */
export const formatQuantity = (quantity: bigint, decimals: number): string => {
  checkDecimals(decimals)
  if (typeof quantity !== 'bigint') throw new ConfigurationError('quantity', 'expected a bigint')
  const units = String(quantity < 0n ? -quantity : quantity).padStart(decimals + 1, '0')
  const whole = units.slice(0, units.length - decimals)
  const fraction = units.slice(units.length - decimals).replace(/0+$/, '')
  return `${quantity < 0n ? '-' : ''}${whole}${fraction === '' ? '' : '.'}${fraction}`
}

/**
 * The quantity in base-token units of a number of tokens: digits, optionally `.` and 1 to `decimals` digits, nothing
 * else. Returns a Left for any other text, also for one with more digits after the point than the token has decimals.
 * Throws a `ConfigurationError` if `decimals` is not a whole number from 0 to 255.
 *
 * @example
 * parseQuantity('50.9739', 18) // Right(50973900000000000000n)
 * parseQuantity('1e3', 18) // Left(DecodeError: quantity: expected digits, optionally "." and 1 to 18 digits, got "1e3")
 */
export const parseQuantity = (text: string, decimals: number): Either<DecodeError, bigint> => {
  checkDecimals(decimals)
  const match = typeof text === 'string' ? decimalPattern.exec(text) : null
  const [, whole = '', fraction = ''] = match ?? []
  return match === null || fraction.length > decimals
    ? left(malformedError('quantity', asText(text), quantitySyntax(decimals)))
    : right(BigInt(whole + fraction.padEnd(decimals, '0')))
}

// Leading zeros are not captured, because a long number converts slowly. A mismatch takes linear time.
const decimalPattern = /^0*(0|[1-9]\d*)(?:\.(\d+))?$/

const quantitySyntax = (decimals: number): string =>
  decimals === 0
    ? 'digits'
    : `digits, optionally "." and ${decimals === 1 ? '1 digit' : `1 to ${decimals} digits`}`

const checkDecimals = (decimals: number): void => {
  if (!isDecimals(decimals)) throw new ConfigurationError('decimals', `expected ${decimalsSyntax}`)
}
