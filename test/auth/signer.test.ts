import { createSecretKey } from 'node:crypto'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { right } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { concatenated } from '../../src/auth/mac-input.js'
import { redacted } from '../../src/auth/redact.js'
import { signRequest } from '../../src/auth/sign.js'
import { createSigner } from '../../src/auth/signer.js'

const bytes = Buffer.from('a key of thirty-two bytes or so!')
const key = bytes.toString('base64')

describe('createSigner (section 5)', () => {
  it('gives both headers, and no other', () => {
    const sign = createSigner('svc', createSecretKey(bytes), concatenated)
    fc.assert(
      fc.property(fc.webPath(), fc.maxSafeNat(), (path, expiration) => {
        const expires = { 'x-svc-auth-expiration': String(expiration) }
        const { headers } = sign(path, expiration)
        const { 'x-svc-auth': signature, ...rest } = headers
        expect(rest).toEqual(expires)
        expect(signRequest({ key, path, headers: expires })).toEqual(right(signature))
      }),
    )
  })

  it('names the headers after the service, in lower case', () => {
    const { headers } = createSigner('Acme', createSecretKey(bytes), concatenated)('/p', 1)
    expect(Object.keys(headers)).toEqual(['x-acme-auth-expiration', 'x-acme-auth'])
    expect(signRequest({ key, path: '/p', headers, service: 'acme' })).toEqual(right(headers['x-acme-auth']))
  })

  it('signs what canonicalHeaders makes', () => {
    const { headers } = createSigner('svc', createSecretKey(bytes), () => '#')('/p', 1)
    expect(signRequest({ key, path: '/p#', headers: {} })).toEqual(right(headers['x-svc-auth']))
  })

  it('tells the texts that no error may repeat, and shows none of them itself', () => {
    const sign = createSigner('svc', createSecretKey(bytes), concatenated)
    const { headers, secrets } = sign('/p', 1)
    expect(redacted(`${headers['x-svc-auth']} ${key}`, secrets())).toBe('[redacted] [redacted]')
    expect(inspect(sign, { showHidden: true, depth: null })).not.toContain(key)
  })
})
