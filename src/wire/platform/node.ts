import { X509Certificate, createHmac, createSecretKey } from 'node:crypto'
import type { CreateMac } from '../auth/mac.js'
import { PriceFrames } from '../codec/fast-path/price-frames.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { importUndici, importWs } from '../transport/packages.js'
import { undiciTransport } from '../transport/undici/undici-transport.js'
import { wsTransport } from '../transport/ws/ws-transport.js'
import { addSource, publish } from './node/diagnostics.js'
import type { Platform } from './platform.js'

/** Validates an option as PEM certificates, because TLS silently ignores any other text. Throws a `ConfigurationError`. */
const parseCertificates: Platform['parseCertificates'] = (option, value) => {
  const text = value instanceof Uint8Array ? Buffer.from(value).toString() : value
  const certificates = typeof text === 'string' ? (text.match(certificatePattern) ?? []) : []
  if (typeof text === 'string' && certificates.length > 0 && certificates.every(isCertificate)) return text
  throw new ConfigurationError(option, 'expected PEM certificates, as a string or bytes')
}

const certificatePattern = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

const isCertificate = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

const createMac: CreateMac = (key) => {
  const secret = createSecretKey(key)
  return (input) => {
    const mac = createHmac('sha256', secret)
    for (const piece of input) mac.update(piece)
    return mac.digest('base64').replace('=', '')
  }
}

/** Node, and the runtimes that are compatible with it. */
export const node: Platform = {
  webSocketTransport: (ca) => wsTransport(importWs, ca),
  httpTransport: (options) => undiciTransport(importUndici, options),
  createMac,
  parseCertificates,
  publish,
  addSource,
  createPriceFrames: () => new PriceFrames(),
  isPublic: false,
  onWake: () => () => undefined,
}
