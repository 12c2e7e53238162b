import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { defaultService } from '../domain/topic.js'
import type { ConfigurationError } from '../errors/configuration-error.js'
import { decodeKey } from './key.js'
import { hmac, macInput } from './mac.js'
import type { CanonicalHeaders } from './canonical-headers.js'

export interface SignRequest {
  /** The auth key, base64. */
  readonly key: string
  /** The request path as it is sent: with its leading slash, and its query if it has one. */
  readonly path: string
  /** The request's headers, including the expiration. Headers without the service's prefix are not signed. */
  readonly headers: Readonly<Record<string, string>>
  /** The request body, if there is one. */
  readonly body?: string | Uint8Array
  /** The service's name. Default: `svc`. */
  readonly service?: string
  /** The canonical form of the signed headers. Default: lower-cased name and value, without separators. */
  readonly canonicalHeaders?: CanonicalHeaders
}

/**
 * The signature of a request, as the `x-svc-auth` header carries it (section 5 of the service's documentation).
 * A `Left` describes what is wrong with the key and never contains the key.
 *
 * @example
 * const key = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
 * const headers = { 'x-svc-auth-expiration': '1745462597105' }
 * signRequest({ key, path: '/v0/order_book/depth/0x82af', headers })
 * // Right('66EN1fGgqqHy4ZiOseYfdbcqrJGExiJK2tBjytV8iUc')
 */
export const signRequest = ({
  key,
  service = defaultService,
  ...request
}: SignRequest): Either<ConfigurationError, string> => {
  const secret = decodeKey(key, 'key')
  return isLeft(secret) ? secret : right(hmac(secret.right, macInput({ service, ...request })))
}
