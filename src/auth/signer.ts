import type { KeyObject } from 'node:crypto'
import { pathAndHeaders, type CanonicalHeaders } from './mac-input.js'
import { spelled } from './redact.js'
import { hmac } from './sign.js'

/** The headers that a signed request carries, and what no error may repeat of the secrets in and behind them. */
export interface SignedHeaders {
  readonly headers: Readonly<Record<string, string>>
  readonly secrets: () => readonly RegExp[]
}

/** Signs a request path with an expiration in ms since the Unix epoch. */
export type Signer = (path: string, expiration: number) => SignedHeaders

export const createSigner = (service: string, key: KeyObject, canonicalHeaders: CanonicalHeaders): Signer => {
  const signatureName = `x-${service.toLowerCase()}-auth`
  const expirationName = `${signatureName}-expiration`
  const keySpelled = spelled(key.export().toString('base64'))
  return (path, expiration) => {
    const expires = String(expiration)
    // The one header that is signed.
    const canonical = canonicalHeaders([[expirationName, expires]])
    const signature = hmac(key, pathAndHeaders(path, canonical))
    return {
      headers: { [expirationName]: expires, [signatureName]: signature },
      secrets: () => [spelled(signature), keySpelled],
    }
  }
}
