import { authHeaderNames } from './auth-header-names.js'
import { selectSignedHeaders, type CanonicalHeaders } from './canonical-headers.js'
import { pathAndHeaders, type CreateMac } from './mac.js'
import type { Secrets } from './secrets.js'

/** The two headers that sign a request path. `expiration`: in ms since the Unix epoch. */
export type Signer = (path: string, expiration: number) => Readonly<Record<string, string>>

/** What a signer signs with. */
export interface SignerConfig {
  readonly service: string
  readonly key: Uint8Array
  readonly createMac: CreateMac
  readonly canonicalHeaders: CanonicalHeaders
  /** The additional headers of each request. Those of the service are signed. */
  readonly headers: Readonly<Record<string, string>>
  readonly secrets: Secrets
}

/** Creates the signer of a client. Adds the key and each signature to the secrets. */
export const createSigner = ({
  service,
  key,
  createMac,
  canonicalHeaders,
  headers,
  secrets,
}: SignerConfig): Signer => {
  const names = authHeaderNames(service)
  // The order of the headers is the same for each request.
  const signed = selectSignedHeaders({ ...headers, [names.expiration]: '' }, service)
  const mac = createMac(key)
  secrets.addKey(key)
  return (path, expiration) => {
    const expirationText = String(expiration)
    const canonical = canonicalHeaders(
      signed.map(([name, value]) => [name, name === names.expiration ? expirationText : value]),
    )
    const signature = mac(pathAndHeaders(path, canonical))
    secrets.addSignature(signature)
    return { [names.expiration]: expirationText, [names.signature]: signature }
  }
}
