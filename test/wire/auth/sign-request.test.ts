import { createHmac } from 'node:crypto'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { signRequest, type SignRequest } from 'svc-streams'
import * as browser from 'svc-streams/browser'
import { describe, expect, it } from 'vitest'
import {
  concatenateHeaders,
  type CanonicalHeaders,
  createSigner,
  type Signer,
  type SignerConfig,
} from '../../../src/wire/auth/sign-request.js'
import { Secrets } from '../../../src/wire/auth/secrets.js'
import { ConfigurationError } from '../../../src/base/errors/configuration-error.js'
import { node } from '../../../src/wire/platform/node.js'
import { anyText } from '../../support/arbitraries.js'

const path = '/v0/order_book/depth/0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
const headers = { 'x-svc-auth-expiration': '1745462597105' }
const key = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='

describe('signRequest (section 5)', () => {
  it('returns the signature of the worked example', () => {
    expect(signRequest({ key, path, headers })).toEqual(right('2HS4N9TIOxzyvZQU6dz4FwEnxqYWceKPA+uroSbmeiY'))
  })

  it('does not depend on the base64 form of the key, nor on unsigned headers', () => {
    const signature = signRequest({ key, path, headers })
    expect(signRequest({ key: key.replace('=', ''), path, headers })).toEqual(signature)
    expect(
      signRequest({ key, path, headers: { 'X-Svc-Auth-Expiration': '1745462597105', Host: 'a' } }),
    ).toEqual(signature)
    expect(signRequest({ key, path, headers: { ...headers, 'x-svc-auth': 'old' } })).toEqual(signature)
    expect(signRequest({ key, path, headers, body: '' })).toEqual(signature)
  })

  it('returns the HMAC-SHA256 of path, headers and body under the decoded key, in base64 without padding', () => {
    const request = fc.record({
      secret: fc.uint8Array({ minLength: 1, maxLength: 100, size: 'max' }).map((array) => Buffer.from(array)),
      sent: fc.webPath().map((text) => `/v0${text}?q=1`),
      expiration: fc.maxSafeNat().map(String),
      trace: fc.string({ unit: 'binary', maxLength: 300, size: 'max' }),
      body: fc.option(fc.uint8Array(), { nil: undefined }),
    })
    fc.assert(
      fc.property(request, ({ secret, sent, expiration, trace, body }) => {
        const mac = createHmac('sha256', secret)
        mac.update(
          Buffer.concat([
            Buffer.from(`${sent}x-svc-auth-expiration${expiration}x-svc-trace${trace}`),
            body ?? Buffer.of(),
          ]),
        )
        const signed = {
          key: secret.toString('base64url'),
          path: sent,
          headers: { 'X-SVC-Trace': trace, 'x-svc-auth-expiration': expiration, accept: '*/*' },
          ...(body === undefined ? {} : { body }),
        }
        const signature = right(mac.digest('base64').replaceAll('=', ''))
        expect(signRequest(signed)).toEqual(signature)
        expect(browser.signRequest(signed)).toEqual(signature)
      }),
    )
  })

  it('returns a different signature when any signed part differs', () => {
    const others: Partial<SignRequest>[] = [
      { key: 'AAECAw==' },
      { path: `${path}?` },
      { path: path.toUpperCase() },
      { headers: { 'x-svc-auth-expiration': '1745462597106' } },
      { headers: { ...headers, 'x-svc-b': '' } },
      { body: ' ' },
      { service: 'acme' },
      { canonicalHeaders: () => '#' },
    ]
    const signatures = others.map((other) => JSON.stringify(signRequest({ key, path, headers, ...other })))
    expect(new Set([...signatures, JSON.stringify(signRequest({ key, path, headers }))]).size).toBe(
      others.length + 1,
    )
  })

  it('signs with another service name, and with custom canonical headers', () => {
    const mac = (text: string) =>
      createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64').replaceAll('=', '')
    expect(signRequest({ key, path: '/p', headers: { 'x-acme-a': '1' }, service: 'acme' })).toEqual(
      right(mac('/px-acme-a1')),
    )
    expect(
      signRequest({
        key,
        path: '/p',
        headers: { 'x-svc-b': '2', 'x-svc-a': '1' },
        body: '!',
        canonicalHeaders: (pairs) => new TextEncoder().encode(JSON.stringify(pairs)),
      }),
    ).toEqual(right(mac('/p[["x-svc-a","1"],["x-svc-b","2"]]!')))
  })

  it('uses the default for an undefined service', () => {
    const request = { key, path, headers, service: undefined } as unknown as SignRequest
    expect(signRequest(request)).toEqual(signRequest({ key, path, headers }))
  })

  it.each([
    [{ headers: undefined }, 'headers: expected an object of strings, by the names of the headers'],
    [{ headers: null }, 'headers: expected an object of strings, by the names of the headers'],
    [{ headers: { 'x-svc-a': 1 } }, 'headers: expected an object of strings, by the names of the headers'],
    [{ path: undefined }, 'path: expected the request path with its leading slash'],
    [{ body: 5 }, 'body: expected a string or bytes'],
  ])('returns a ConfigurationError for %o', (other, message) => {
    expect(signRequest({ key, path, headers, ...other } as never)).toMatchObject({
      left: { _tag: 'ConfigurationError', message },
    })
  })

  it('returns a signature or a ConfigurationError without the key, and never throws', () => {
    const request = fc.record({
      key: fc.oneof(anyText, fc.base64String(), fc.constant(undefined as unknown as string)),
      path: fc.oneof(anyText, fc.constant(undefined as unknown as string)),
      headers: fc.dictionary(fc.oneof(anyText, fc.constantFrom('x-svc-a', '__proto__', 'X-SVC-')), anyText),
      body: fc.oneof(anyText, fc.uint8Array()),
    })
    fc.assert(
      fc.property(request, (given) => {
        const signature = signRequest(given)
        if (isLeft(signature)) {
          expect(signature.left).toBeInstanceOf(ConfigurationError)
          expect(signature.left.message).toMatch(
            /^key: expected a base64 string of at least one byte(, without spaces and line ends)?$|^path: expected the request path with its leading slash$/,
          )
        } else {
          expect(signature.right).toMatch(/^[A-Za-z0-9+/]{43}$/)
        }
      }),
      { numRuns: 300 },
    )
  })
})

const bytes = Buffer.from('a key of thirty-two bytes or so!')
const base64 = bytes.toString('base64')

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
        expect(signRequest({ key: base64, path, headers: expirationHeader })).toEqual(right(signature))
      }),
    )
  })

  it('names the headers after the service, in lower case', () => {
    const headers = signerOf({ service: 'Acme' })('/p', 1)
    expect(Object.keys(headers)).toEqual(['x-acme-auth-expiration', 'x-acme-auth'])
    expect(signRequest({ key: base64, path: '/p', headers, service: 'acme' })).toEqual(
      right(headers['x-acme-auth']),
    )
  })

  it('signs the result of canonicalHeaders', () => {
    const headers = signerOf({ canonicalHeaders: () => '#' })('/p', 1)
    expect(signRequest({ key: base64, path: '/p#', headers: {} })).toEqual(right(headers['x-svc-auth']))
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
        expect(signRequest({ key: base64, path: '/p', headers: { ...headers, ...rest } })).toEqual(
          right(signature),
        )
      }),
    )
  })

  it('passes the signed headers to canonicalHeaders in order', () => {
    let passed: Parameters<CanonicalHeaders>[0] = []
    const canonicalHeaders: CanonicalHeaders = (pairs) => {
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
    expect(secrets.redact(`${headers['x-svc-auth']}, ${base64}`)).toBe('[redacted], [redacted]')
    expect(inspect(sign, { showHidden: true, depth: null })).not.toContain(base64)
  })
})
