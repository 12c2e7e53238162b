import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { describe, expect, it, vi } from 'vitest'
import { ConfigurationError } from '../../../src/base/errors/configuration-error.js'
import { node } from '../../../src/wire/platform/node.js'
import { createSelfSignedCertificate } from '../../support/network/certificate.js'

const { parseCertificates, publish } = node

const { cert, key } = createSelfSignedCertificate()
const other = createSelfSignedCertificate().cert

describe('parseCertificates', () => {
  it('accepts one or several certificates, with text between them, as a string or as bytes', () => {
    const bundle = `# first\n${cert}\n# second\n${other}`
    expect(parseCertificates('ca', cert)).toBe(cert)
    expect(parseCertificates('ca', bundle)).toBe(bundle)
    expect(parseCertificates('ca', new TextEncoder().encode(bundle))).toBe(bundle)
  })

  it.each([
    ['a path', '/etc/ssl/ca.pem'],
    ['empty text', ''],
    ['no bytes', new Uint8Array()],
    ['a key', key],
    ['a truncated certificate', cert.slice(0, cert.length / 2)],
    ['an invalid certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'],
    ['a valid and an invalid certificate', `${cert}\n-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----`],
    ['a number', 1],
  ])('rejects %s with an error that does not contain the value', (_, value) => {
    expect(() => parseCertificates('ca', value)).toThrow(ConfigurationError)
    expect(() => parseCertificates('ca', value)).toThrow(
      /^ca: expected PEM certificates, as a string or bytes$/,
    )
  })
})

describe('publish', () => {
  it('does not build the message if the channel has no subscribers', () => {
    const message = vi.fn()
    publish('svc-streams:connected', message)
    expect(message).not.toHaveBeenCalled()
  })

  it('delivers the message to current subscribers only', () => {
    const received: unknown[] = []
    const listener = (message: unknown, name: string | symbol): void => void received.push([name, message])
    const message = { host: 'prices.example:4000', epoch: 1, connectMs: 2 }
    subscribe('svc-streams:connected', listener)
    publish('svc-streams:connected', () => message)
    unsubscribe('svc-streams:connected', listener)
    publish('svc-streams:connected', () => message)
    expect(received).toEqual([['svc-streams:connected', message]])
  })
})
