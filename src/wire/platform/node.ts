import crypto, { X509Certificate, createHmac, createSecretKey } from 'node:crypto'
import { hmacBlocks, type CreateMac } from '../auth/mac.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { importUndici, importWs } from '../transport/packages.js'
import { undiciTransport } from '../transport/undici/undici-transport.js'
import { wsTransport } from '../transport/ws/ws-transport.js'
import { addSource, publish } from './node/diagnostics.js'
import { lazyHttpTransport, lazyWebSocketTransport } from './node/lazy-transports.js'
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

/** The MAC by Node's `crypto`. */
const createMac: CreateMac = (key) => {
  const secret = createSecretKey(key)
  // A runtime that is compatible with Node may lack it.
  const { hash } = crypto as Partial<Pick<typeof crypto, 'hash'>>
  const macOfText = hash === undefined ? undefined : hashedTwice(key, hash)
  return (input) => {
    const [text] = input
    if (typeof text === 'string' && input.length === 1 && macOfText !== undefined) return macOfText(text)
    const mac = createHmac('sha256', secret)
    for (const piece of input) mac.update(piece)
    return mac.digest('base64').replace('=', '')
  }
}

/** Two hashes, each in one call, take half the time of an `Hmac`. */
const hashedTwice = (key: Uint8Array, hash: typeof crypto.hash): ((text: string) => string) => {
  const blocks = hmacBlocks(key, (bytes) => hash('sha256', bytes, 'buffer'))
  const { length } = blocks.inner
  let inner = Buffer.from(blocks.inner)
  const outer = Buffer.concat([blocks.outer], length + 32)
  return (text) => {
    const longest = length + 3 * text.length
    if (longest > inner.length) inner = Buffer.concat([inner.subarray(0, length)], longest)
    const end = length + inner.write(text, length)
    outer.write(hash('sha256', inner.subarray(0, end), 'binary'), length, 'binary')
    return hash('sha256', outer, 'base64').replace('=', '')
  }
}

/** Node, and the runtimes that are compatible with it. */
export const node: Platform = {
  webSocketTransport: (ca) => lazyWebSocketTransport(async () => wsTransport(await importWs(), ca)),
  httpTransport: (options) => lazyHttpTransport(async () => undiciTransport(await importUndici(), options)),
  createMac,
  parseCertificates,
  publish,
  addSource,
  isPublic: false,
  onWake: () => () => undefined,
}
