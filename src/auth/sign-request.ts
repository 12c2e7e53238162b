import { isLeft, right, type Either } from 'fp-ts/lib/Either.js'
import { defaultService } from '../domain/topic.js'
import type { ConfigurationError } from '../errors/configuration-error.js'
import { decodeKey } from './key.js'
import { macInput, type CreateMac } from './mac.js'
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

/** Signs a request, or describes what is wrong with the key. */
export type RequestSigner = (request: SignRequest) => Either<ConfigurationError, string>

/** The `signRequest` of a platform. */
export const signRequestWith =
  (createMac: CreateMac): RequestSigner =>
  ({ key, service = defaultService, ...request }) => {
    const secret = decodeKey(key, 'key')
    return isLeft(secret) ? secret : right(createMac(secret.right)(macInput({ service, ...request })))
  }
