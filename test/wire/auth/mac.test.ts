import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLeft } from 'fp-ts/lib/Either.js'
import {
  decodeKey,
  concatenateHeaders,
  macInput,
  selectSignedHeaders,
  type MacInputParts,
} from '../../../src/wire/auth/sign-request.js'
import { ConfigurationError } from '../../../src/base/errors/configuration-error.js'
import { anyText, withRandomCase } from '../../support/arbitraries.js'

const joined = (parts: MacInputParts): string =>
  Buffer.concat(macInput(parts).map((piece) => Buffer.from(piece as string))).toString()

const value = fc.string({ unit: 'grapheme-ascii', maxLength: 20 })

const suffix = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789-_'.split('')),
  minLength: 1,
  maxLength: 12,
})

/** Signed headers sorted by lower-cased name, and the same headers mixed with others, in any order and case. */
const headers = fc
  .record({
    signed: fc.uniqueArray(
      fc.tuple(
        suffix.filter((name) => name !== 'auth'),
        value,
      ),
      { selector: ([name]) => name },
    ),
    others: fc.dictionary(
      fc.oneof(
        suffix,
        fc.constantFrom('x-svc', 'x-svcx-a', 'ax-svc-a', 'x-acme-auth', 'host', 'x-svc-auth', 'X-Svc-Auth'),
      ),
      value,
      { maxKeys: 4 },
    ),
  })
  .chain(({ signed, others }) => {
    const inOrder = signed
      .map(([name, text]) => [`x-svc-${name}`, text] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
    const inAnyCase = inOrder.map(([name, text]) =>
      withRandomCase(name).map((cased) => [cased, text] as const),
    )
    return fc.tuple(...inAnyCase).chain((cased) => {
      const all = [...cased, ...Object.entries(others)]
      return fc
        .shuffledSubarray(all, { minLength: all.length })
        .map((shuffled) => ({ inOrder, headers: Object.fromEntries(shuffled) }))
    })
  })

describe('macInput (section 5)', () => {
  it('joins path and query, the signed headers without the signature, and the body', () => {
    const path = fc.webPath().map((text) => `/v0${text}?a=1`)
    const body = fc.option(fc.string(), { nil: undefined })
    fc.assert(
      fc.property(path, headers, body, (sent, { inOrder, headers: given }, content) => {
        const parts = {
          path: sent,
          headers: given,
          service: 'svc',
          ...(content === undefined ? {} : { body: content }),
        }
        const expected =
          inOrder.reduce((text, [name, header]) => text + name + header, sent) + (content ?? '')
        expect(joined(parts)).toBe(expected)
      }),
      { numRuns: 300 },
    )
  })

  it('matches the worked example', () => {
    expect(
      joined({
        path: '/v0/order_book/depth/0x82af49447d8a07e3bd95bd0d56f35241523fbab1',
        headers: {
          Accept: '*/*',
          'x-svc-auth': 'not signed',
          'X-Svc-Auth-Expiration': '1745462597105',
        },
        service: 'svc',
      }),
    ).toBe(
      '/v0/order_book/depth/0x82af49447d8a07e3bd95bd0d56f35241523fbab1x-svc-auth-expiration1745462597105',
    )
  })

  it('passes a body of bytes unchanged', () => {
    const body = Uint8Array.of(0, 255, 128)
    expect(macInput({ path: '/', headers: {}, body, service: 'svc' }).at(-1)).toBe(body)
  })

  it('contains the result of canonicalHeaders, called with the sorted pairs', () => {
    const parts: MacInputParts = {
      path: '/p',
      headers: { 'X-SVC-B': '2', 'x-svc-a': '1', 'x-svc-auth': '3' },
      service: 'svc',
      canonicalHeaders: (pairs) => Buffer.from(pairs.map(([name, text]) => `${name}:${text}\n`).join('')),
    }
    expect(joined(parts)).toBe('/px-svc-a:1\nx-svc-b:2\n')
  })
})

describe('signedHeaders', () => {
  it('selects headers by the name of the service, in any case', () => {
    const given = { 'x-acme-b': '1', 'x-svc-a': '2', 'x-acme-auth': '3', 'X-Acme-Auth-Expiration': '4' }
    expect(selectSignedHeaders(given, 'acme')).toEqual([
      ['x-acme-auth-expiration', '4'],
      ['x-acme-b', '1'],
    ])
    expect(selectSignedHeaders(given, 'ACME')).toEqual(selectSignedHeaders(given, 'acme'))
  })

  it('sorts by bytes, not by locale', () => {
    const given = {
      'x-svc-b': '',
      'x-svc-a_': '',
      'x-svc-a-': '',
      'x-svc-a': '',
      'x-svc-a0': '',
      'x-svc-A1': '',
    }
    expect(selectSignedHeaders(given, 'svc').map(([name]) => name)).toEqual([
      'x-svc-a',
      'x-svc-a-',
      'x-svc-a0',
      'x-svc-a1',
      'x-svc-a_',
      'x-svc-b',
    ])
  })

  it('includes a header whose name only starts like the signature', () => {
    expect(selectSignedHeaders({ 'x-svc-authority': 'a', 'x-svc-auth': 'b' }, 'svc')).toEqual([
      ['x-svc-authority', 'a'],
    ])
  })
})

describe('concatenateHeaders', () => {
  it('joins names and values without separators', () => {
    expect(
      concatenateHeaders([
        ['a', '1'],
        ['b', '2'],
      ]),
    ).toBe('a1b2')
    expect(concatenateHeaders([])).toBe('')
  })
})

const bytes = fc.uint8Array({ minLength: 1, maxLength: 80 }).map((array) => Buffer.from(array))

const bytesOf = (base64: unknown): Buffer => {
  const key = decodeKey(base64)
  return isLeft(key) ? expect.unreachable(key.left.message) : Buffer.from(key.right)
}

describe('decodeKey (section 5)', () => {
  it('accepts base64 in the standard or the url-safe alphabet, padded or not', () => {
    fc.assert(
      fc.property(bytes, (key) => {
        const standard = key.toString('base64')
        const urlSafe = standard.replaceAll('+', '-').replaceAll('/', '_')
        for (const text of [standard, urlSafe]) {
          expect(bytesOf(text).equals(key)).toBe(true)
          expect(bytesOf(text.replaceAll('=', '')).equals(key)).toBe(true)
        }
      }),
    )
  })

  it.each([
    ['empty text', ''],
    ['only padding', '=='],
    ['one digit', 'A'],
    ['one extra digit', 'AAAAA'],
    ['too little padding', 'AA='],
    ['too much padding', 'AAA=='],
    ['padding after a complete group', 'AAAA='],
    ['a group of padding', 'AAAA===='],
    ['padding in the middle', 'AA==AA=='],
    ['digits of both alphabets', '+-AA'],
    ['leading white space', ' AAAA'],
    ['a trailing line break', 'AAAA\n'],
    ['prefixed hex', '0x00010203!'],
    ['non-ASCII letters', 'ÅÄÖÜ'],
    ['quotes', '"AAAA"'],
  ])('rejects text that is not base64: %s', (_what, text) => {
    expect(decodeKey(text)).toMatchObject({ left: { _tag: 'ConfigurationError', option: 'authKey' } })
  })

  it('names a line end, which is easily overlooked', () => {
    expect(decodeKey('AAAA\n')).toMatchObject({
      left: { message: expect.stringMatching(/without .* line ends$/) as string },
    })
  })

  it.each([undefined, null, 42, true, {}, ['AAAA'], Buffer.from('AAAA')])(
    'rejects a value that is not a string: %o',
    (value) => {
      expect(isLeft(decodeKey(value))).toBe(true)
    },
  )

  it('never contains the key in an error', () => {
    const secret = fc.oneof(
      anyText.map((text) => `!${text}!`),
      bytes.map((key) => `${key.toString('base64')}!`),
    )
    const visible = secret.filter((text) => text.length >= 8 && new Set(text).size > 2)
    fc.assert(
      fc.property(visible, (text) => {
        const rejected = decodeKey(text, 'key')
        if (!isLeft(rejected)) return expect.unreachable()
        expect(rejected.left).toBeInstanceOf(ConfigurationError)
        expect(rejected.left.message).toBe(
          `key: expected a base64 string of at least one byte${/\s/.test(text) ? ', without spaces and line ends' : ''}`,
        )
        const shown = [
          rejected.left.message,
          String(rejected.left),
          inspect(rejected.left),
          JSON.stringify(rejected.left),
        ]
        for (const line of shown) expect(line).not.toContain(text)
      }),
    )
  })
})
