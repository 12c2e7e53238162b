import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { ConfigurationError } from '../../errors/configuration-error.js'
import type { GatewayTls } from '../options.js'

/** A private key and its certificate, in PEM. */
export interface PemPair {
  readonly key: string | Buffer
  readonly cert: string | Buffer
}

/** Throws a `ConfigurationError` unless the key belongs to the certificate. It repeats no error of OpenSSL: some contain input. */
export const parsePem = ({ key, cert }: GatewayTls): PemPair => {
  const pair = { key: pemOf(key), cert: pemOf(cert) }
  if (!isPair(pair)) throw tlsError()
  return pair
}

const isPair = ({ key, cert }: PemPair): boolean => {
  try {
    createSecureContext({ key, cert })
    // The context of Node accepts a key of another type than the certificate's. That of Deno checks nothing.
    const privateKey = createPrivateKey(firstBlock(key, 'PRIVATE KEY'))
    return new X509Certificate(firstBlock(cert, 'CERTIFICATE')).checkPrivateKey(privateKey)
  } catch {
    return false
  }
}

/** The first PEM block whose label ends in `label`. A file may contain others in front of it, which Deno does not skip. */
const firstBlock = (pem: string | Buffer, label: string): string => {
  const block = new RegExp(`-----BEGIN ([A-Z0-9 ]*${label})-----.*?-----END \\1-----`, 's')
  return block.exec(pem.toString())?.[0] ?? ''
}

const pemOf = (value: unknown): string | Buffer => {
  if (typeof value === 'string' && value !== '') return value
  if (value instanceof Uint8Array && value.length > 0) return Buffer.from(value)
  throw tlsError()
}

const tlsError = () => new ConfigurationError('tls', 'expected a private key and its certificate, in PEM')
