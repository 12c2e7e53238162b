import type { KeyObject } from 'node:crypto'
import { hmac, pathAndHeaders } from './mac.js'
import { secretPattern } from './redact.js'
import type { CanonicalHeaders } from './canonical-headers.js'

export interface SignedHeaders {
  readonly headers: Readonly<Record<string, string>>
  /** Patterns of the key and of the signature, to redact from errors. Built on demand, because only errors need them. */
  readonly secrets: () => readonly RegExp[]
}

/** Signs a request path with an expiration in ms since the Unix epoch. */
export type Signer = (path: string, expiration: number) => SignedHeaders

export const createSigner = (service: string, key: KeyObject, canonicalHeaders: CanonicalHeaders): Signer => {
  const signatureName = `x-${service.toLowerCase()}-auth`
  const expirationName = `${signatureName}-expiration`
  const keyPattern = secretPattern(key.export().toString('base64'))
  return (path, expiration) => {
    const expirationText = String(expiration)
    // The expiration is the only signed header, so there is nothing to select and sort (`selectSignedHeaders`).
    const canonical = canonicalHeaders([[expirationName, expirationText]])
    const signature = hmac(key, pathAndHeaders(path, canonical))
    return {
      headers: { [expirationName]: expirationText, [signatureName]: signature },
      secrets: () => [secretPattern(signature), keyPattern],
    }
  }
}
