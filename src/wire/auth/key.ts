import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { base64Bytes } from '../../base/domain/bytes.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'

const standard = /^[A-Za-z0-9+/]+$/
const urlSafe = /^[A-Za-z0-9_-]+$/

/** Decodes the auth key from base64, in the standard or the url-safe alphabet, padded or not. The error never contains it. */
export const decodeKey = (base64: unknown, option = 'authKey'): Either<ConfigurationError, Uint8Array> =>
  typeof base64 === 'string' && isBase64(base64)
    ? right(base64Bytes(base64))
    : left(
        new ConfigurationError(option, `expected a base64 string of at least one byte${spaceHint(base64)}`),
      )

/** A line end at the end of a variable is easily overlooked. */
const spaceHint = (key: unknown): string =>
  typeof key === 'string' && /\s/.test(key) ? ', without spaces and line ends' : ''

const isBase64 = (text: string): boolean => {
  const digits = text.replace(/={1,2}$/, '')
  const padded = digits.length !== text.length
  return (
    (standard.test(digits) || urlSafe.test(digits)) &&
    digits.length % 4 !== 1 &&
    (!padded || text.length % 4 === 0)
  )
}
