import { createSecretKey, type KeyObject } from 'node:crypto'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { ConfigurationError } from '../errors/configuration-error.js'

const standard = /^[A-Za-z0-9+/]+$/
const urlSafe = /^[A-Za-z0-9_-]+$/

/** The auth key's bytes from base64, in the standard or the url-safe alphabet, padded or not. */
export const decodeKey = (base64: unknown, option = 'authKey'): Either<ConfigurationError, KeyObject> => {
  const digits = typeof base64 === 'string' ? base64.replace(/={1,2}$/, '') : ''
  const padded = typeof base64 === 'string' && base64.length !== digits.length
  const wellFormed =
    (standard.test(digits) || urlSafe.test(digits)) &&
    digits.length % 4 !== 1 &&
    (!padded || (base64 as string).length % 4 === 0)
  // The key itself must never appear in the message.
  return wellFormed
    ? right(createSecretKey(Buffer.from(digits, 'base64')))
    : left(new ConfigurationError(option, 'expected a base64 text of at least one byte'))
}
