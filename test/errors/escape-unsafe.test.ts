import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeUnsafe } from '../../src/errors/escape-unsafe.js'
import { anyText } from '../support/arbitraries.js'
import { hostileText, unsafeCharacters } from '../support/unsafe-characters.js'

describe('escapeUnsafe', () => {
  it.each([
    ['a control character', 'a\u001b\u0000b', 'a\\u001b\\u0000b'],
    ['a C1 control character', 'a\u009b31mb\u0080', 'a\\u009b31mb\\u0080'],
    ['delete', 'a\u007f', 'a\\u007f'],
    ['a bidirectional override', 'a\u202eb', 'a\\u202eb'],
    ['a bidirectional isolate', '\u2066a\u2069', '\\u2066a\\u2069'],
    ['a bidirectional mark', '\u061c\u200e\u200f', '\\u061c\\u200e\\u200f'],
    ['a line separator', 'a\u2028b\u2029', 'a\\u2028b\\u2029'],
    ['a zero-width character', '\u200b\u200d\u2060\ufeff', '\\u200b\\u200d\\u2060\\ufeff'],
    ['a lone surrogate', 'a\ud83d', 'a\\ud83d'],
    ['an invisible character above U+FFFF', '\u{e0041}', '\\udb40\\udc41'],
    ['a filler', '\u3164', '\\u3164'],
  ])('escapes %s', (_what, text, escaped) => {
    expect(escapeUnsafe(text)).toBe(escaped)
  })

  it.each(['a\tb\n', 'ä é e\u0301', '服务器', '🚀 ❤️ 🇫🇷', 'שלום', '\\u202e'])('keeps %j', (text) => {
    expect(escapeUnsafe(text)).toBe(text)
  })

  it('leaves no unsafe character in any text', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.constant(hostileText)), (text) => {
        expect(escapeUnsafe(text)).not.toMatch(unsafeCharacters)
        expect(escapeUnsafe(escapeUnsafe(text))).toBe(escapeUnsafe(text))
      }),
    )
  })

  it('keeps the value of a JSON text, indented or not', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), anyText), fc.constantFrom(0, 2), (value, indentation) => {
        const json = escapeUnsafe(JSON.stringify({ value }, null, indentation))
        expect(json).not.toMatch(unsafeCharacters)
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ value })))
      }),
    )
  })
})
