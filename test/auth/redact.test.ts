import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redacted, spelled } from '../../src/auth/redact.js'

const digits = '2HS4N/TIOx+yvZQU6dz4+wEnxqYWceKPA/uroSbmeiY'
const secrets = [spelled(`${digits}=`)]

const each = (plus: string, slash: string): string => digits.replaceAll('+', plus).replaceAll('/', slash)

describe('a text that repeats a secret', () => {
  it.each([
    ['as it is', `${digits}=`],
    ['without its padding', digits],
    ['as JSON may escape it', each('+', '\\/')],
    ['as JSON may escape more of it', `${each('\\u002B', '\\u002F')}\\u003D`],
    ['the same in lower case', `${each('\\u002b', '\\u002f')}\\u003d`],
    ['as a URL escapes it', encodeURIComponent(`${digits}=`)],
    ['the same in lower case', `${each('%2b', '%2f')}%3d`],
    ['as a form is read that does not escape it', each(' ', '/')],
    ['as HTML escapes it', `${each('&#43;', '&#47;')}&#61;`],
    ['as HTML escapes it in hexadecimal', `${each('&#x2B;', '&#x2F;')}&#x3D;`],
    ['in the url-safe alphabet', `${each('-', '_')}=`],
    ['in the url-safe alphabet, without its padding', each('-', '_')],
  ])('%s is without it, wherever it stands and however often', (_, text) => {
    expect(redacted(`${text}.${text}"`, secrets)).toBe('[redacted].[redacted]"')
  })

  it('and was cut in the middle of it is without its beginning, but not without a few characters', () => {
    expect(redacted(`x ${digits.slice(0, -1)}`, secrets)).toBe('x [redacted]')
    expect(redacted(`x "${digits.slice(0, 20)}…"`, secrets)).toBe('x "[redacted]…"')
    expect(redacted(`x ${digits.slice(0, 8)}`, secrets)).toBe('x [redacted]')
    expect(redacted(`x ${digits.slice(0, 7)}`, secrets)).toBe(`x ${digits.slice(0, 7)}`)
  })
})

it('no text shows eight digits from the beginning of a secret, whatever the secret and wherever it was cut', () => {
  const secret = fc
    .uint8Array({ minLength: 6, maxLength: 80 })
    .map((bytes) => Buffer.from(bytes).toString('base64'))
  fc.assert(
    fc.property(secret, fc.string(), fc.string(), fc.nat(), (key, before, after, cut) => {
      const text = before + key.slice(0, Math.max(8, cut % (key.length + 1))) + after
      expect(redacted(text, [spelled(key)])).not.toContain(key.slice(0, 8))
    }),
  )
})

it('a text without a secret stays as it is', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(redacted(text, secrets)).toBe(text)
    }),
  )
})
