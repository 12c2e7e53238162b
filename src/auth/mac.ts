import { concatenateHeaders, selectSignedHeaders, type CanonicalHeaders } from './canonical-headers.js'

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
  const start = pathAndHeaders(path, canonical)
  return body === undefined ? start : [...start, body]
}

/** Joins two texts into one piece, because each `update` of the MAC has a fixed cost. */
export const pathAndHeaders = (path: string, canonical: string | Uint8Array): MacInput =>
  typeof canonical === 'string' ? [path + canonical] : [path, canonical]

/** The HMAC-SHA256 of a message with one key, in base64 without padding. */
export type Mac = (input: MacInput) => string

/** Creates the MAC of a key. */
export type CreateMac = (key: Uint8Array) => Mac
