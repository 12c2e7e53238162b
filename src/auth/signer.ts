import type { KeyObject } from 'node:crypto'
import type { CanonicalHeaders } from './mac-input.js'
import { spellingsOf } from './redact.js'
import { hmac } from './sign.js'

/** The headers that a signed request carries, and the texts in them that no error may repeat. */
export interface SignedHeaders {
  readonly headers: Readonly<Record<string, string>>
  readonly secrets: () => readonly string[]
}

/** Signs a request path with an expiration in ms since the Unix epoch. */
export type Signer = (path: string, expiration: number) => SignedHeaders

export const createSigner = (service: string, key: KeyObject, canonicalHeaders: CanonicalHeaders): Signer => {
  const prefix = `x-${service.toLowerCase()}-auth`
  const keySpellings = spellingsOf(key.export().toString('base64'))
  return (path, expiration) => {
    const expires = { [`${prefix}-expiration`]: String(expiration) }
    const signature = hmac(key, { service, path, headers: expires, canonicalHeaders })
    return {
      headers: { ...expires, [prefix]: signature },
      secrets: () => [...spellingsOf(signature), ...keySpellings],
    }
  }
}
