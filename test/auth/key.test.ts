import { inspect } from 'node:util'
import fc from 'fast-check'
import { isLeft } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { decodeKey } from '../../src/auth/key.js'
import { ConfigurationError } from '../../src/errors/configuration-error.js'
import { anyText } from '../support/arbitraries.js'

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
        expect(rejected.left.message).toBe('key: expected a base64 string of at least one byte')
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
