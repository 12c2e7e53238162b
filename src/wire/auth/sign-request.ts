import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { base64Of } from '../../base/domain/bytes.js'
import { defaultService } from '../../base/domain/topic.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { decodeKey } from './key.js'
import {
  authHeaderNames,
  macInput,
  selectSignedHeaders,
  type CanonicalHeaders,
  type CreateMac,
} from './mac.js'
import type { Secrets } from './secrets.js'

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

/** Signs a request, or describes what is wrong with the key, the path, the headers or the body. */
export type RequestSigner = (request: SignRequest) => Either<ConfigurationError, string>

/** The `signRequest` of a platform. */
export const signRequestWith =
  (createMac: CreateMac): RequestSigner =>
  ({ key, service = defaultService, ...request }) => {
    const secret = decodeKey(key, 'key')
    if (isLeft(secret)) return secret
    const { path, headers, body = '' } = request
    if (typeof path !== 'string') return invalid('path', 'the request path with its leading slash')
    if (!areStrings(headers)) return invalid('headers', 'an object of strings, by the names of the headers')
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) return invalid('body', 'a string or bytes')
    return right(createMac(secret.right)(macInput({ service, ...request })))
  }

const invalid = (option: string, expected: string): Either<ConfigurationError, never> =>
  left(new ConfigurationError(option, `expected ${expected}`))

const areStrings = (headers: unknown): boolean =>
  typeof headers === 'object' &&
  headers !== null &&
  Object.values(headers).every((value) => typeof value === 'string')

/** The two headers that sign a request path. `expiration`: in ms since the Unix epoch. */
export type Signer = (path: string, expiration: number) => Readonly<Record<string, string>>

/** What a signer signs with. */
export interface SignerConfig {
  readonly service: string
  readonly key: Uint8Array
  readonly createMac: CreateMac
  readonly canonicalHeaders: CanonicalHeaders
  /** The additional headers of each request. Those of the service are signed. */
  readonly headers: Readonly<Record<string, string>>
  readonly secrets: Secrets
}

/** Creates the signer of a client. Adds the key and each signature to the secrets. */
export const createSigner = ({
  service,
  key,
  createMac,
  canonicalHeaders,
  headers,
  secrets,
}: SignerConfig): Signer => {
  const names = authHeaderNames(service)
  // The order of the headers is the same for each request.
  const signed = selectSignedHeaders({ ...headers, [names.expiration]: '' }, service)
  const mac = createMac(key)
  for (const base64 of [base64Of(key), unpadded(base64Of(key))]) secrets.addValue(base64)
  return (path, expiration) => {
    const expirationText = String(expiration)
    const canonical = canonicalHeaders(
      signed.map(([name, value]) => [name, name === names.expiration ? expirationText : value]),
    )
    const signature = mac([path, canonical])
    secrets.addSignature(signature)
    return { [names.expiration]: expirationText, [names.signature]: signature }
  }
}

const unpadded = (base64: string): string => base64.replace(/=+$/, '')
