/** The message of the MAC, in consecutive pieces. */
export type MacInput = readonly (string | Uint8Array)[]

export interface MacInputParts {
  /** The path as it is sent, with its query if it has one. */
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

/** Creates the MAC of a key. */
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

/**
 * Selects the signed headers: all headers whose name starts with `x-<service>-`, except the signature itself. Sorts
 * them by the bytes of their lower-cased names, which are ASCII.
 */
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
