import { X509Certificate } from 'node:crypto'
import { ConfigurationError } from '../errors/configuration-error.js'

/** An option as PEM certificates, or a `ConfigurationError`: TLS would take anything else for no authority at all. */
export const parseCertificates = (option: string, value: unknown): string => {
  const text = value instanceof Uint8Array ? Buffer.from(value).toString() : value
  const found = typeof text === 'string' ? (text.match(certificate) ?? []) : []
  if (typeof text === 'string' && found.length > 0 && found.every(isReadable)) return text
  throw new ConfigurationError(option, 'expected PEM certificates, as a text or as bytes')
}

const certificate = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

const isReadable = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}
