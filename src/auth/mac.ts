import { createHmac, type KeyObject } from 'node:crypto'
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

/** HMAC-SHA256, in base64 without padding. */
export const hmac = (key: KeyObject, input: MacInput): string => {
  const mac = createHmac('sha256', key)
  for (const piece of input) mac.update(piece)
  return mac.digest('base64').replace('=', '')
}
