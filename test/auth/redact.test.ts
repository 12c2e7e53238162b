import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redact, secretPattern } from '../../src/auth/redact.js'

const digits = '2HS4N/TIOx+yvZQU6dz4+wEnxqYWceKPA/uroSbmeiY'
const secrets = [secretPattern(`${digits}=`)]

const withDigits = (plus: string, slash: string): string =>
  digits.replaceAll('+', plus).replaceAll('/', slash)

describe('redact', () => {
  it.each([
    ['unchanged', `${digits}=`],
    ['without padding', digits],
    ['with slashes escaped as in JSON', withDigits('+', '\\/')],
    ['escaped as in JSON', `${withDigits('\\u002B', '\\u002F')}\\u003D`],
    ['escaped as in JSON, in lower case', `${withDigits('\\u002b', '\\u002f')}\\u003d`],
    ['escaped as in a URL', encodeURIComponent(`${digits}=`)],
    ['escaped as in a URL, in lower case', `${withDigits('%2b', '%2f')}%3d`],
    ['with spaces, as a form decoder reads +', withDigits(' ', '/')],
    ['escaped as in HTML', `${withDigits('&#43;', '&#47;')}&#61;`],
    ['escaped as in HTML, in hexadecimal', `${withDigits('&#x2B;', '&#x2F;')}&#x3D;`],
    ['in the url-safe alphabet', `${withDigits('-', '_')}=`],
    ['in the url-safe alphabet, without padding', withDigits('-', '_')],
  ])('replaces every occurrence of a secret: %s', (_, text) => {
    expect(redact(`${text}.${text}"`, secrets)).toBe('[redacted].[redacted]"')
  })

  it('replaces a truncated secret of at least eight characters', () => {
    expect(redact(`x ${digits.slice(0, -1)}`, secrets)).toBe('x [redacted]')
    expect(redact(`x "${digits.slice(0, 20)}…"`, secrets)).toBe('x "[redacted]…"')
    expect(redact(`x ${digits.slice(0, 8)}`, secrets)).toBe('x [redacted]')
    expect(redact(`x ${digits.slice(0, 7)}`, secrets)).toBe(`x ${digits.slice(0, 7)}`)
  })

  it('leaves no prefix of eight characters of any secret, truncated anywhere', () => {
    const secret = fc
      .uint8Array({ minLength: 6, maxLength: 80 })
      .map((bytes) => Buffer.from(bytes).toString('base64'))
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), fc.nat(), (key, before, after, cut) => {
        const text = before + key.slice(0, Math.max(8, cut % (key.length + 1))) + after
        expect(redact(text, [secretPattern(key)])).not.toContain(key.slice(0, 8))
      }),
    )
  })

  it('does not change text without a secret', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(redact(text, secrets)).toBe(text)
      }),
    )
  })
})
