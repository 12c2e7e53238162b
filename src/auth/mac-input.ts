/** Header names, lower-cased, with their values. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[]

/** How the signed headers become the bytes to sign, where a deployment differs from the default. */
export type CanonicalHeaders = (headers: HeaderPairs) => Uint8Array | string

/** What is signed, in pieces. */
export type MacInput = readonly (string | Uint8Array)[]

export interface MacParts {
  /** The path as it is sent, with its query if it has one. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** The service's name, which the signed headers' names contain. */
  readonly service: string
  readonly canonicalHeaders?: CanonicalHeaders
}

/** Each header as its lower-cased name with its value right behind, and nothing in between. */
export const concatenated: CanonicalHeaders = (headers) =>
  headers.reduce((text, [name, value]) => text + name + value, '')

/**
 * The headers that a signature covers: all that start with the service's prefix but the signature itself, by
 * lower-cased name, in ascending order of bytes.
 */
export const signedHeaders = (headers: Readonly<Record<string, string>>, service: string): HeaderPairs => {
  const prefix = `x-${service.toLowerCase()}-`
  return Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => name.startsWith(prefix) && name !== `${prefix}auth`)
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
}

/** The pieces over which the MAC is computed, in order (section 5 of the service's documentation). */
export const macInput = ({ path, headers, body, service, canonicalHeaders }: MacParts): MacInput => {
  const canonical = (canonicalHeaders ?? concatenated)(signedHeaders(headers, service))
  const start = pathAndHeaders(path, canonical)
  return body === undefined ? start : [...start, body]
}

/** In one piece where that is possible: each piece costs. */
export const pathAndHeaders = (path: string, canonical: string | Uint8Array): MacInput =>
  typeof canonical === 'string' ? [path + canonical] : [path, canonical]
