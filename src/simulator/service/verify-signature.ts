import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** The parts of a request that its signature covers. */
export interface SignedRequest {
  /** Path and query, byte for byte as received. */
  readonly path: string
  /** Keyed by lower-case name. */
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}

export interface SignatureVerification {
  /** Auth key, decoded. */
  readonly key: Uint8Array
  /** Name of the service; part of the names of signed headers. */
  readonly service: string
  /** Clock of the service, in ms since the Unix epoch. */
  readonly now: number
}

/**
 * True if the request is signed with the key and has not expired (section 5 of the service's documentation). Written
 * from the documentation, independently of the client's signing, so that each implementation tests the other.
 */
export const isValidSignature = (
  request: SignedRequest,
  { key, service, now }: SignatureVerification,
): boolean => {
  const prefix = `x-${service.toLowerCase()}-`
  const expiration = request.headers[`${prefix}auth-expiration`]
  const signature = request.headers[`${prefix}auth`]
  if (typeof expiration !== 'string' || typeof signature !== 'string') return false
  if (!/^\d{1,16}$/.test(expiration) || Number(expiration) <= now) return false
  const mac = createHmac('sha256', key).update(request.path, 'latin1')
  for (const name of Object.keys(request.headers).sort()) {
    if (!name.startsWith(prefix) || name === `${prefix}auth`) continue
    mac.update(name, 'latin1').update(String(request.headers[name]), 'latin1')
  }
  const digest = mac.update(request.body).digest('base64')
  return isEqual(signature, digest.replace(/=+$/, ''))
}

/** Compares in constant time. Only the length, which is not secret, affects the duration. */
const isEqual = (received: string, expected: string): boolean => {
  const [a, b] = [Buffer.from(received, 'latin1'), Buffer.from(expected, 'latin1')]
  return a.length === b.length && timingSafeEqual(a, b)
}
