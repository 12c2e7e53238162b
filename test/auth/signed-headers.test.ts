import { inspect } from 'node:util'
import fc from 'fast-check'
import { right } from 'fp-ts/lib/Either.js'
import { signRequest } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { Secrets } from '../../src/auth/secrets.js'
import { concatenateHeaders, type HeaderPairs } from '../../src/auth/canonical-headers.js'
import { createSigner, type Signer, type SignerConfig } from '../../src/auth/signed-headers.js'
import { node } from '../../src/platform/node.js'

const bytes = Buffer.from('a key of thirty-two bytes or so!')
const key = bytes.toString('base64')

const signerOf = (config: Partial<SignerConfig> = {}): Signer =>
  createSigner({
    service: 'svc',
    key: bytes,
    createMac: node.createMac,
    canonicalHeaders: concatenateHeaders,
    headers: {},
    secrets: new Secrets(),
    ...config,
  })

describe('createSigner (section 5)', () => {
  it('returns the expiration and the signature, and no other header', () => {
    const sign = signerOf()
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
    const headers = signerOf({ service: 'Acme' })('/p', 1)
    expect(Object.keys(headers)).toEqual(['x-acme-auth-expiration', 'x-acme-auth'])
    expect(signRequest({ key, path: '/p', headers, service: 'acme' })).toEqual(right(headers['x-acme-auth']))
  })

  it('signs the result of canonicalHeaders', () => {
    const headers = signerOf({ canonicalHeaders: () => '#' })('/p', 1)
    expect(signRequest({ key, path: '/p#', headers: {} })).toEqual(right(headers['x-svc-auth']))
  })

  it('signs additional headers of the service, sorted by their lower-cased names, and no others', () => {
    const name = fc.stringMatching(/^x-svc-[A-Za-z0-9-]{1,9}$/)
    const names = fc.uniqueArray(name, { selector: (each) => each.toLowerCase() })
    const value = fc.stringMatching(/^[!-~]{0,9}$/)
    const pairs = names.chain((all) => fc.tuple(...all.map((each) => fc.tuple(fc.constant(each), value))))
    fc.assert(
      fc.property(pairs, fc.maxSafeNat(), (added, expiration) => {
        const headers = {
          accept: 'any',
          'X-Svcx-Other': 'no',
          ...Object.fromEntries(added),
        }
        const { 'x-svc-auth': signature, ...rest } = signerOf({ headers })('/p', expiration)
        expect(rest).toEqual({ 'x-svc-auth-expiration': String(expiration) })
        expect(signRequest({ key, path: '/p', headers: { ...headers, ...rest } })).toEqual(right(signature))
      }),
    )
  })

  it('passes the signed headers to canonicalHeaders in order', () => {
    let passed: HeaderPairs = []
    const canonicalHeaders = (pairs: HeaderPairs) => {
      passed = pairs
      return ''
    }
    signerOf({ headers: { 'X-Svc-Zone': 'b', accept: 'x', 'x-svc-Account': 'a' }, canonicalHeaders })('/p', 1)
    expect(passed).toEqual([
      ['x-svc-account', 'a'],
      ['x-svc-auth-expiration', '1'],
      ['x-svc-zone', 'b'],
    ])
  })

  it('adds key and signature to the secrets, and does not show the key when inspected', () => {
    const secrets = new Secrets()
    const sign = signerOf({ secrets })
    const headers = sign('/p', 1)
    expect(secrets.redact(`${headers['x-svc-auth']}, ${key}`)).toBe('[redacted], [redacted]')
    expect(inspect(sign, { showHidden: true, depth: null })).not.toContain(key)
  })
})
