import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  asNumber,
  asText,
  behindText,
  describeValue,
  oneLine,
  printable,
  truncate,
  escapeUnsafe,
} from '../../../src/base/errors/text.js'
import { anyText } from '../../support/arbitraries.js'
import { unsafeInLine, hostileText, unsafeCharacters } from '../../support/unsafe-characters.js'

const anyValue = fc.oneof(
  anyText,
  fc.anything({ withBigInt: true, withDate: true, withMap: true }),
  anyText.map((text) => Symbol(text)),
  fc.constantFrom(
    Object.create(null),
    () => 1,
    class {
      secret = 1
    },
    new Proxy({}, {}),
  ),
)

describe('truncate', () => {
  it('returns a text within the limit unchanged, and the beginning of a longer one', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 400 }), (text, limit) => {
        const short = truncate(text, limit)
        expect(text.startsWith(short)).toBe(true)
        expect(short.length).toBeLessThanOrEqual(limit)
        expect(short.length).toBeGreaterThanOrEqual(Math.min(text.length, limit - 1))
        if (text.length <= limit) expect(short).toBe(text)
      }),
    )
  })

  it('does not split a surrogate pair', () => {
    const wellFormed = fc.string({ unit: 'binary', minLength: 1 })
    fc.assert(
      fc.property(wellFormed, fc.integer({ min: 1, max: 20 }), (text, limit) => {
        expect(truncate(text, limit)).toSatisfy((short: string) => !/\p{Cs}/u.test(short))
      }),
    )
  })

  it('has a default limit of 2048', () => {
    expect(truncate('x'.repeat(5000))).toHaveLength(2048)
    expect(truncate('x'.repeat(2047) + '😀')).toHaveLength(2047)
  })
})

describe('oneLine', () => {
  it('returns one short line without control characters, for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const line = oneLine(text)
        expect(line).not.toMatch(unsafeInLine)
        expect(line).toBe(line.trim())
        expect(line.length).toBeLessThanOrEqual(201)
        expect(oneLine(truncate(line, 100))).toBe(truncate(line, 100).trim())
      }),
    )
  })

  it('does not change plain text', () => {
    expect(oneLine('Invalid (exchange, base, quote) tuple')).toBe('Invalid (exchange, base, quote) tuple')
  })

  it('replaces each run of white space and control characters by one space', () => {
    expect(oneLine(' a\r\n\tb\u0000\u0007c\u001b[31md\u0085e\u2028f ')).toBe('a b c [31md e f')
  })

  it('escapes bidirectional controls, zero-width characters and lone surrogates', () => {
    expect(oneLine('a\u202eb\u2066\u200bc\ud83d 界')).toBe('a\\u202eb\\u2066\\u200bc\\ud83d 界')
  })

  it('ends a truncated text with an ellipsis', () => {
    expect(oneLine('x'.repeat(300))).toBe(`${'x'.repeat(200)}…`)
  })
})

describe('printable', () => {
  it('replaces control characters by blanks', () => {
    expect(printable('a\u001b[2J\u0007b\nc\u009bd\te')).toBe('a [2J b c d e')
  })

  it('gives one line without unsafe characters for any text, of any length', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(printable(text)).not.toMatch(unsafeInLine)
      }),
    )
    expect(printable('x'.repeat(5000))).toHaveLength(5000)
  })
})

describe('asText, describeValue and asNumber', () => {
  it('accept a value of any type', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(asText(value)).toBeTypeOf('string')
        expect(describeValue(value)).not.toMatch(unsafeInLine)
        expect(asNumber(value)).toBeTypeOf('number')
      }),
    )
  })

  it('format strings and other primitives, and omit the content of objects', () => {
    expect(asText('a\nb')).toBe('a\nb')
    expect(describeValue('a\nb')).toBe('"a b"')
    expect([undefined, null, 1, NaN, -0, 10n, true].map(describeValue)).toEqual([
      'undefined',
      'null',
      '1',
      'NaN',
      '-0',
      '10n',
      'true',
    ])
    expect(describeValue({ key: 'secret' })).toBe('a value of type object')
    expect(describeValue(['secret'])).toBe('an array')
    expect(describeValue(() => 'secret')).toBe('a value of type function')
  })

  it('return NaN for every value that is not a number', () => {
    expect([1.5, '1.5', 1n, null, {}].map(asNumber)).toEqual([1.5, NaN, NaN, NaN, NaN])
  })
})

describe('behindText', () => {
  it.each([
    [1, '1 ms behind'],
    [999.4, '999 ms behind'],
    [1000, '1.0 s behind'],
    [5234, '5.2 s behind'],
    [64_000, '64.0 s behind'],
  ])('formats %d ms as "%s"', (ms, text) => {
    expect(behindText(ms)).toBe(text)
  })
})

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
