import fc from 'fast-check'
import { isRight, right } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { checkAccess, type AccessConfig } from '../../../src/gateway/http/access.js'

const check = (
  headers: { readonly host?: string | undefined; readonly origin?: string | undefined },
  config: AccessConfig,
) => checkAccess({ headers, headersDistinct: {}, httpVersion: '1.0' }, config)

const loopback: AccessConfig = { scheme: 'http', host: '127.0.0.1', origins: new Set() }
const open: AccessConfig = { ...loopback, host: '0.0.0.0' }
const named: AccessConfig = { ...loopback, host: 'Prices.Example' }

const isAllowed = (config: AccessConfig, host: string | undefined, origin?: string): boolean =>
  isRight(check({ host, origin }, config))

describe('on a loopback host', () => {
  it.each([
    'localhost',
    'LOCALHOST:8080',
    '127.0.0.1',
    '127.0.0.1:8080',
    '127.1.2.3:1',
    '[::1]',
    '[::1]:65535',
  ])('a request for the Host %s is allowed', (host) => {
    for (const listensOn of ['127.0.0.1', '127.9.9.9', 'localhost', '::1']) {
      expect(isAllowed({ ...loopback, host: listensOn }, host)).toBe(true)
    }
  })

  it.each([
    undefined,
    '',
    'evil.example',
    'evil.example:8080',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'evil.localhost',
    '127.0.0.1@evil.example',
    'evil.example@127.0.0.1',
    'evil.example/127.0.0.1',
    '127.1',
    '0x7f000001',
    '2130706433',
    '0.0.0.0',
    '128.0.0.1',
    '127.0.0.256',
    '127.0.0.1.',
    'localhost.',
    '::1',
    '[::2]',
    '[::ffff:10.0.0.1]',
    '[::1',
    '127.0.0.1:',
    '127.0.0.1:x',
    '127.0.0.1:80:80',
    '127.0.0.1 evil.example',
    'localhost\tevil.example',
  ])('a request for the Host %s is refused, whatever its Origin (DNS rebinding)', (host) => {
    const allowing = { ...loopback, origins: new Set(['http://evil.example']) }
    expect(isAllowed(loopback, host)).toBe(false)
    expect(isAllowed(allowing, host, 'http://evil.example')).toBe(false)
    expect(isAllowed(loopback, host, `http://${host}`)).toBe(false)
  })

  it('no name that is resolved by DNS is allowed', () => {
    const label = fc.stringMatching(/^[a-z0-9-]{1,20}$/)
    const name = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.'))
    fc.assert(
      fc.property(name, fc.option(fc.nat(65_535)), (host, port) => {
        fc.pre(host !== 'localhost' && !/^\d+(?:\.\d+){3}$/.test(host))
        expect(isAllowed(loopback, port === null ? host : `${host}:${port}`)).toBe(false)
      }),
    )
  })
})

describe('on another host', () => {
  it.each(['10.0.0.5:80', 'prices.example', 'evil.example', '127.0.0.1', undefined])(
    'a request for the Host %s is allowed without an Origin',
    (host) => {
      expect(isAllowed(open, host)).toBe(true)
      expect(isAllowed(named, host)).toBe(true)
    },
  )
})

describe("the gateway's own Origin", () => {
  it.each([
    [loopback, '127.0.0.1:8080', 'http://127.0.0.1:8080'],
    [loopback, 'localhost:8080', 'http://localhost:8080'],
    [loopback, 'LocalHost:8080', 'http://localhost:8080'],
    [loopback, '[::1]:8080', 'http://[::1]:8080'],
    [loopback, '127.0.0.1:80', 'http://127.0.0.1'],
    [{ ...loopback, scheme: 'https' }, '127.0.0.1:443', 'https://127.0.0.1'],
    [open, '10.0.0.5:8080', 'http://10.0.0.5:8080'],
    [open, 'localhost:8080', 'http://localhost:8080'],
    [named, 'prices.example:8080', 'http://prices.example:8080'],
    [named, 'PRICES.example', 'http://prices.example'],
  ] as const)('has access: %j, Host %s, Origin %s', (config, host, origin) => {
    expect(check({ host, origin }, config)).toEqual(right(undefined))
  })

  it.each([
    // Another port, scheme or name of the same machine.
    [loopback, '127.0.0.1:8080', 'http://127.0.0.1:8081'],
    [loopback, '127.0.0.1:8080', 'https://127.0.0.1:8080'],
    [loopback, '127.0.0.1:8080', 'http://localhost:8080'],
    [loopback, '127.0.0.1:8080', 'http://127.0.0.1'],
    // A name that the page's owner may resolve to the gateway's address.
    [open, 'evil.example', 'http://evil.example'],
    [open, '0.0.0.0.evil.example', 'http://0.0.0.0.evil.example'],
    [named, 'evil.example', 'http://evil.example'],
    [named, 'prices.example.evil.example', 'http://prices.example.evil.example'],
    [named, 'prices.example', 'https://prices.example'],
    // No origin of a page.
    [loopback, '127.0.0.1', 'null'],
    [loopback, '127.0.0.1', ''],
    [loopback, '127.0.0.1', '*'],
    [loopback, '127.0.0.1', 'http://127.0.0.1, http://evil.example'],
    [loopback, '127.0.0.1', 'HTTP://127.0.0.1'],
    [open, undefined, 'http://undefined'],
    [open, 'a b', 'http://a b'],
  ] as const)('has no access otherwise: %j, Host %s, Origin %s', (config, host, origin) => {
    expect(isAllowed(config, host, origin)).toBe(false)
  })
})

describe('a listed Origin', () => {
  const origin = 'https://app.example'
  const config = { ...loopback, origins: new Set([origin]) }

  it('has access, and may read the response', () => {
    expect(check({ host: '127.0.0.1', origin }, config)).toEqual(right(origin))
  })

  it.each([
    'http://app.example',
    'https://app.example:8443',
    'https://app.example.evil.example',
    'https://evil.example',
    'https://APP.example',
    'https://app.example/',
    'null',
  ])('gives no access to %s', (other) => {
    expect(isAllowed(config, '127.0.0.1', other)).toBe(false)
  })
})

describe('a foreign Origin', () => {
  it('has no access, for any Origin and any Host', () => {
    const listed = 'https://app.example'
    const config = { ...open, origins: new Set([listed]) }
    const host = fc.oneof(
      fc.string(),
      fc.webAuthority(),
      fc.ipV4(),
      fc.constantFrom('localhost', '127.0.0.1'),
    )
    fc.assert(
      fc.property(host, fc.oneof(fc.string(), fc.webUrl(), fc.webAuthority()), (header, origin) => {
        fc.pre(origin !== listed && origin !== `http://${header}`)
        expect(isAllowed(config, header, origin)).toBe(false)
      }),
    )
  })

  it('is not repeated in the reason', () => {
    const refused = check({ host: '127.0.0.1', origin: 'https://evil.example' }, loopback)
    expect(JSON.stringify(refused)).not.toContain('evil')
  })
})
