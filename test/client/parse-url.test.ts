import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseUrl } from '../../src/client/configuration.js'
import { ConfigurationError } from '../../src/base/errors/configuration-error.js'
import { anyText } from '../support/arbitraries.js'

const https = ['https:', 'http:'] as const
const wss = ['wss:', 'ws:'] as const

const rejection = (
  value: unknown,
  schemes: typeof https | typeof wss = https,
  secure = false,
): ConfigurationError => {
  try {
    parseUrl('baseUrl', value, schemes, secure)
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) return thrown
    throw thrown
  }
  return expect.unreachable(`accepted ${String(value)}`)
}

describe('parseUrl', () => {
  it.each([
    'https://a.example/',
    'http://a.example/',
    'https://a.example:3000/base/path?key=1&x=%20',
    'http://[::1]:3000/',
    'http://127.0.0.1:3000/x',
  ])('accepts %s unchanged', (text) => {
    expect(parseUrl('baseUrl', text, https, false).href).toBe(text)
  })

  it('keeps path and query', () => {
    const url = parseUrl('priceWsUrl', 'wss://gate.example/prices?key=1', wss, true)
    expect([url.pathname, url.search]).toEqual(['/prices', '?key=1'])
  })

  it.each([
    '',
    'a.example',
    '//a.example',
    '/path',
    'https://',
    'https:// a',
    'https://a:99999',
    'https://a:x',
    'https://[::1',
  ])('rejects %j, which is not a URL', (text) => {
    expect(rejection(text).message).toBe('baseUrl: expected a URL like https://… or http://…')
  })

  it.each([undefined, null, 3000, {}, [], new URL('https://a.example')])(
    'rejects %o, which is not a text',
    (value) => {
      expect(rejection(value)).toMatchObject({ option: 'baseUrl' })
    },
  )

  it.each([
    ['ws://a.example', https],
    ['wss://a.example', https],
    ['ftp://a.example', https],
    ['file:///etc/passwd', https],
    ['javascript:alert(1)', https],
    ['a.example:3000', https],
    ['https://a.example', wss],
    ['http://a.example', wss],
  ] as const)('rejects the scheme of %s', (text, schemes) => {
    expect(rejection(text, schemes).message).toContain(`expected ${schemes[0]}//… or ${schemes[1]}//…, not `)
  })

  it.each(['https://user:secret@a.example', 'https://user@a.example', 'https://:secret@a.example'])(
    'rejects the credentials of %s without repeating them',
    (text) => {
      expect(rejection(text).message).toBe('baseUrl: credentials in a URL are not supported')
    },
  )

  it('rejects a fragment', () => {
    expect(rejection('https://a.example/#top').message).toBe('baseUrl: a fragment (#…) is not supported')
  })

  it.each(['https://a.example:0', 'http://[::1]:0/x'])('rejects port 0 of %s', (text) => {
    expect(rejection(text).message).toBe('baseUrl: expected a port from 1 to 65535, not 0')
  })

  it('never repeats the rejected text', () => {
    const secret = anyText.filter((text) => text.length > 8)
    fc.assert(
      fc.property(
        secret,
        fc.constantFrom('', 'https://', 'ftp://h/', 'https://h/#', 'http://h/?'),
        (text, before) => {
          try {
            parseUrl('baseUrl', before + text, https, true)
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(ConfigurationError)
            expect(String(thrown)).not.toContain(text)
          }
        },
      ),
    )
  })
})

describe('parseUrl with secure', () => {
  const loopback = [
    'localhost',
    'LOCALHOST:3000',
    'a.localhost',
    '127.0.0.1',
    '127.8.9.10:1',
    '127.1',
    '[::1]',
    '[0:0:0:0:0:0:0:1]:80',
  ]

  it.each(loopback)('accepts a scheme without TLS to the loopback address %s', (host) => {
    expect(parseUrl('baseUrl', `http://${host}`, https, true).protocol).toBe('http:')
    expect(parseUrl('priceWsUrl', `ws://${host}`, wss, true).protocol).toBe('ws:')
  })

  const remote = [
    'a.example',
    'localhost.example',
    'notlocalhost',
    '127.0.0.1.example',
    '10.0.0.1',
    '0.0.0.0',
    '[::]',
    '[::2]',
    '[fe80::1]',
    '128.0.0.1',
  ]

  it.each(remote)('rejects a scheme without TLS to %s', (host) => {
    expect(rejection(`http://${host}`, https, true).message).toContain(
      'http: to another machine is not encrypted; use https: or set allowInsecure',
    )
    expect(rejection(`ws://${host}`, wss, true)).toMatchObject({
      message: 'baseUrl: ws: to another machine is not encrypted; use wss: or set allowInsecure',
      problem: 'ws: to another machine is not encrypted; use wss:',
      permittedBy: ['allowInsecure'],
    })
    expect(parseUrl('baseUrl', `https://${host}`, https, true).protocol).toBe('https:')
    expect(parseUrl('baseUrl', `http://${host}`, https, false).protocol).toBe('http:')
  })
})
