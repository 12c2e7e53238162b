import { X509Certificate } from 'node:crypto'
import { ConfigurationError } from '../../errors/configuration-error.js'

/** Validates an option as PEM certificates, because TLS silently ignores any other text. Throws a `ConfigurationError`. */
export const parseCertificates = (option: string, value: unknown): string => {
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
