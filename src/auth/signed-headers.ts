import type { KeyObject } from 'node:crypto'
import { hmac, pathAndHeaders } from './mac.js'
import type { CanonicalHeaders } from './canonical-headers.js'
import type { Secrets } from './secrets.js'

/** The headers that sign a request path. `expiration`: in ms since the Unix epoch. */
export type Signer = (path: string, expiration: number) => Readonly<Record<string, string>>

/** Creates the signer of a client. Adds the key and each signature to the secrets. */
export const createSigner = (
  service: string,
  key: KeyObject,
  canonicalHeaders: CanonicalHeaders,
  secrets: Secrets,
): Signer => {
  const signatureName = `x-${service.toLowerCase()}-auth`
  const expirationName = `${signatureName}-expiration`
  secrets.addKey(key)
  return (path, expiration) => {
    const expirationText = String(expiration)
    // The expiration is the only signed header, so there is nothing to select and sort (`selectSignedHeaders`).
    const canonical = canonicalHeaders([[expirationName, expirationText]])
    const signature = hmac(key, pathAndHeaders(path, canonical))
    secrets.addSignature(signature)
    return { [expirationName]: expirationText, [signatureName]: signature }
  }
}
