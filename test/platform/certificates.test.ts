import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../src/errors/configuration-error.js'
import { parseCertificates } from '../../src/platform/certificates.js'
import { selfSigned } from '../support/certificate.js'

const { cert, key } = selfSigned()
const other = selfSigned().cert

describe('parseCertificates', () => {
  it('takes one or several, whatever stands between them, as a text or as bytes', () => {
    const bundle = `# first\n${cert}\n# second\n${other}`
    expect(parseCertificates('ca', cert)).toBe(cert)
    expect(parseCertificates('ca', bundle)).toBe(bundle)
    expect(parseCertificates('ca', new TextEncoder().encode(bundle))).toBe(bundle)
  })

  it.each([
    ['a path', '/etc/ssl/ca.pem'],
    ['nothing', ''],
    ['no bytes', new Uint8Array()],
    ['a key', key],
    ['half a certificate', cert.slice(0, cert.length / 2)],
    ['a certificate that is none', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'],
    ['one that is and one that is not', `${cert}\n-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----`],
    ['a number', 1],
  ])('refuses %s, and does not repeat it', (_, value) => {
    expect(() => parseCertificates('ca', value)).toThrow(ConfigurationError)
    expect(() => parseCertificates('ca', value)).toThrow(
      /^ca: expected PEM certificates, as a text or as bytes$/,
    )
  })
})
