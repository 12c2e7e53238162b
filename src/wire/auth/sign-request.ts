import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { base64Of, base64Bytes } from '../../base/domain/bytes.js'
import { defaultService } from '../../base/domain/topic.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
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

/** The message of the MAC, in consecutive pieces. */
export type MacInput = readonly (string | Uint8Array)[]

export interface MacInputParts {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** The service's name, which is part of the names of the signed headers. */
  readonly service: string
  readonly canonicalHeaders?: CanonicalHeaders
}

/** Path, signed headers, body: the order of section 5 of the service's documentation. */
export const macInput = ({ path, headers, body, service, canonicalHeaders }: MacInputParts): MacInput => {
  const canonical = (canonicalHeaders ?? concatenateHeaders)(selectSignedHeaders(headers, service))
  return [path, canonical, body ?? '']
}

/** The HMAC-SHA256 of a message with one key, in base64 without padding. */
export type Mac = (input: MacInput) => string

export type CreateMac = (key: Uint8Array) => Mac

/**
 * Converts the signed headers to the text or the bytes that are signed, for a deployment that differs from the default.
 * `headers`: lower-cased names with their values.
 */
export type CanonicalHeaders = (
  headers: readonly (readonly [name: string, value: string])[],
) => Uint8Array | string

/** The default canonical form: each lower-cased name directly followed by its value, without separators. */
export const concatenateHeaders: CanonicalHeaders = (headers) =>
  headers.reduce((text, [name, value]) => text + name + value, '')

/** The headers named `x-<service>-…`, except the signature itself, sorted by the bytes of their lower-cased ASCII names. */
export const selectSignedHeaders = (
  headers: Readonly<Record<string, string>>,
  service: string,
): Parameters<CanonicalHeaders>[0] => {
  const prefix = `x-${service.toLowerCase()}-`
  return Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => name.startsWith(prefix) && name !== `${prefix}auth`)
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

/** The names of the two headers that sign a request, in lower case (section 5 of the service's documentation). */
export const authHeaderNames = (service: string) => {
  const signature = `x-${service.toLowerCase()}-auth`
  return { signature, expiration: `${signature}-expiration` }
}

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
