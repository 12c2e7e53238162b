import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** A request as it was received. */
export interface SignedRequest {
  /** Path and query, byte for byte. */
  readonly path: string
  /** By lower-cased name. */
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
}

export interface Verifier {
  /** The auth key's bytes. */
  readonly key: Uint8Array
  /** The service's name, which the signed headers' names contain. */
  readonly service: string
  /** The service's time, in ms since the Unix epoch. */
  readonly now: number
}

/**
 * Whether a request was signed with the key, and has not expired (section 5 of the service's documentation). Written
 * from the documentation alone, and not from the client's signing, so that each can find the other's mistakes.
 */
export const isAuthentic = (request: SignedRequest, { key, service, now }: Verifier): boolean => {
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
  return isSame(signature, digest.replace(/=+$/, ''))
}

/** Takes the same time whatever the two differ in, but their lengths, which are no secret. */
const isSame = (given: string, expected: string): boolean => {
  const [a, b] = [Buffer.from(given, 'latin1'), Buffer.from(expected, 'latin1')]
  return a.length === b.length && timingSafeEqual(a, b)
}
