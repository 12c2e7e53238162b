import { createSecretKey } from 'node:crypto'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { right } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { Secrets } from '../../src/auth/secrets.js'
import { signRequest } from '../../src/auth/sign-request.js'
import { concatenateHeaders } from '../../src/auth/canonical-headers.js'
import { createSigner } from '../../src/auth/signed-headers.js'

const bytes = Buffer.from('a key of thirty-two bytes or so!')
const key = bytes.toString('base64')

describe('createSigner (section 5)', () => {
  it('returns the expiration and the signature, and no other header', () => {
    const sign = createSigner('svc', createSecretKey(bytes), concatenateHeaders, new Secrets())
    fc.assert(
      fc.property(fc.webPath(), fc.maxSafeNat(), (path, expiration) => {
        const expirationHeader = { 'x-svc-auth-expiration': String(expiration) }
        const headers = sign(path, expiration)
        const { 'x-svc-auth': signature, ...rest } = headers
        expect(rest).toEqual(expirationHeader)
        expect(signRequest({ key, path, headers: expirationHeader })).toEqual(right(signature))
      }),
    )
  })

  it('names the headers after the service, in lower case', () => {
    const headers = createSigner('Acme', createSecretKey(bytes), concatenateHeaders, new Secrets())('/p', 1)
    expect(Object.keys(headers)).toEqual(['x-acme-auth-expiration', 'x-acme-auth'])
    expect(signRequest({ key, path: '/p', headers, service: 'acme' })).toEqual(right(headers['x-acme-auth']))
  })

  it('signs the result of canonicalHeaders', () => {
    const headers = createSigner('svc', createSecretKey(bytes), () => '#', new Secrets())('/p', 1)
    expect(signRequest({ key, path: '/p#', headers: {} })).toEqual(right(headers['x-svc-auth']))
  })

  it('adds key and signature to the secrets, and does not show the key when inspected', () => {
    const secrets = new Secrets()
    const sign = createSigner('svc', createSecretKey(bytes), concatenateHeaders, secrets)
    const headers = sign('/p', 1)
    expect(secrets.redact(`${headers['x-svc-auth']}, ${key}`)).toBe('[redacted], [redacted]')
    expect(inspect(sign, { showHidden: true, depth: null })).not.toContain(key)
  })
})
