import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Secrets } from '../../src/auth/secrets.js'

/** Redacts these base64 texts, and these values of headers. */
const redactorOf = (
  base64: readonly string[],
  values: readonly string[] = [],
): ((text: string) => string) => {
  const secrets = new Secrets()
  for (const each of base64) secrets.addSignature(each)
  for (const each of values) secrets.addValue(each)
  return (text) => secrets.redact(text)
}

const digits = '2HS4N/TIOx+yvZQU6dz4+wEnxqYWceKPA/uroSbmeiY'
const redact = redactorOf([`${digits}=`])

const withDigits = (plus: string, slash: string): string =>
  digits.replaceAll('+', plus).replaceAll('/', slash)

const expectNoRun = (text: string, secret: string, spell = (run: string) => run): void => {
  for (let start = 0; start + 16 <= secret.length; start++) {
    expect(text).not.toContain(spell(secret.slice(start, start + 16)))
  }
}

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
    expect(redact(`${text}.${text}"`)).toBe('[redacted].[redacted]"')
  })

  it('replaces a truncated secret of at least eight characters', () => {
    expect(redact(`x ${digits.slice(0, -1)}`)).toBe('x [redacted]')
    expect(redact(`x "${digits.slice(0, 20)}…"`)).toBe('x "[redacted]…"')
    expect(redact(`x ${digits.slice(0, 8)}`)).toBe('x [redacted]')
    expect(redact(`x ${digits.slice(0, 7)}`)).toBe(`x ${digits.slice(0, 7)}`)
  })

  it('leaves no prefix of eight characters of any secret, truncated anywhere', () => {
    const secret = fc
      .uint8Array({ minLength: 6, maxLength: 80 })
      .map((bytes) => Buffer.from(bytes).toString('base64'))
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), fc.nat(), (key, before, after, cut) => {
        const text = before + key.slice(0, Math.max(8, cut % (key.length + 1))) + after
        expect(redactorOf([key])(text)).not.toContain(key.slice(0, 8))
      }),
    )
  })

  it.each([
    ['without its beginning', digits.slice(20)],
    ['without its end', digits.slice(0, 20)],
    ['without both', digits.slice(10, 30)],
    ['in upper case', digits.toUpperCase()],
    ['in lower case', digits.toLowerCase()],
    ['escaped twice as in a URL', encodeURIComponent(encodeURIComponent(digits))],
    ['escaped twice as in JSON', withDigits('+', '\\\\\\/')],
    ['escaped twice as in HTML', withDigits('&amp;#43;', '&amp;#47;')],
    [
      'with every character escaped',
      digits.replace(/./g, (digit) => `%${Buffer.from(digit).toString('hex')}`),
    ],
    ['in hexadecimal', Buffer.from(digits, 'base64').toString('hex')],
    ['in hexadecimal, in upper case', Buffer.from(digits, 'base64').toString('hex').toUpperCase()],
    ['in hexadecimal, without its beginning', Buffer.from(digits, 'base64').toString('hex').slice(33)],
  ])('replaces a piece or a copy of a secret: %s', (_, text) => {
    expect(redact(`"${text}"`)).toBe('"[redacted]"')
  })

  it('replaces pieces that follow each other by one text', () => {
    expect(redact(`<${digits.slice(20)}${digits}>`)).toBe('<[redacted]>')
  })

  it('replaces a run after an escape sequence that includes its first character', () => {
    const value = 'deadbeefdeadbeef'
    expect(redactorOf([], [value])(`%2${value}`)).toBe('%2[redacted]')
  })

  it.each([
    ['a URL', '%2', 'aaaaaaa_aaaaa%20aa'],
    ['a URL, with two characters', '%', '2aaaaaa_aaaaa%20aa'],
    ['a URL, escaped twice', '%252', 'aaaaaaa_aaaaa%20aa'],
    ['JSON', '\\u00', '2aaaaaa_aaaa\\/aaa'],
    ['JSON, with its letter', '\\', 'u002aaa_aaaa\\/aaa'],
    ['HTML', '&#x2', 'a;aaaaa_aaaa&#47;aaa'],
  ])('replaces a run that begins inside an escape sequence of %s and contains another', (_, before, run) => {
    const value = run.replace(/%20|&#47;|\\\//, (escape) => (escape === '%20' ? ' ' : '/'))
    expect(value).toHaveLength(16)
    expect(redactorOf([], [value])(`${before}${run}`)).toBe(`${before}[redacted]`)
  })

  it('replaces a piece of a longer value that begins inside an escape sequence and contains another', () => {
    const value = 'aaaaaaaaaaaaaaaaaa_aaaaa aaaa'
    expect(redactorOf([], [value])('%2aaaaaaa_aaaaa%20aa')).toBe('%2[redacted]')
  })

  it('replaces eight characters of base64, and the padding, that begin inside an escape sequence', () => {
    const secret = `${digits.slice(0, 35)}ab+defgh=`
    expect(redactorOf([secret])('%2ab%2Bdefgh%3D')).toBe('%2[redacted]')
  })

  it('replaces a run that ends inside an escape sequence and contains another', () => {
    const value = 'abcdef/ghijklmn%'
    expect(redactorOf([], [value])('abcdef\\/ghijklmn%41')).toBe('[redacted]41')
  })

  it('replaces pieces of a secret on several lines', () => {
    expect(redact(digits.replace(/.{20}/g, '$&\n'))).toBe(
      '[redacted]\n[redacted]\nIY'.replace('IY', digits.slice(40)),
    )
  })

  const base64 = fc
    .uint8Array({ minLength: 24, maxLength: 64 })
    .map((bytes) => Buffer.from(bytes).toString('base64'))
  const word = fc.string({
    unit: fc.constantFrom(...Array.from('abcdef256kl -_./')),
    minLength: 16,
    maxLength: 60,
  })
  const noise = fc.oneof(
    fc.string({ maxLength: 10 }),
    fc.constantFrom('%2', '%252', '\\', '\\u00', '\\u002', '&#x', '%', '=', ' '),
  )
  const spellings: readonly ((text: string) => string)[] = [
    (text) => text,
    encodeURIComponent,
    (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
    (text) => text.replaceAll('+', '-').replaceAll('/', '_'),
  ]

  it('leaves no run of 16 characters of any secret, for any pieces of secrets and other text', () => {
    const texts = fc.tuple(fc.array(base64, { minLength: 1, maxLength: 3 }), fc.array(word, { maxLength: 2 }))
    const length = fc.oneof(fc.integer({ min: 15, max: 19 }), fc.nat({ max: 90 }))
    const pieces = fc.array(fc.tuple(fc.nat(), fc.nat(), length, fc.constantFrom(...spellings), noise), {
      maxLength: 8,
    })
    fc.assert(
      fc.property(texts, pieces, ([signatures, values], cuts) => {
        const all = [...signatures, ...values]
        const text = cuts.map(([which, from, count, spell, other]) => {
          const secret = all[which % all.length] ?? ''
          const start = from % secret.length
          return spell(secret.slice(start, start + count)) + other
        })
        const clean = redactorOf(signatures, values)(text.join(''))
        for (const secret of all) for (const spell of spellings) expectNoRun(clean, secret, spell)
      }),
    )
  })

  it('leaves no run of a secret that is cut at the limit of a text', () => {
    fc.assert(
      fc.property(base64, fc.nat({ max: 100 }), (secret, before) => {
        const text = `${' '.repeat(2048 - before)}${secret}`
        expectNoRun(redactorOf([secret])(text.slice(0, 2048)), secret)
        expect(redactorOf([secret])(text.slice(0, 2048)).length).toBeLessThanOrEqual(2048)
      }),
    )
  })

  it('does not change text without a secret', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(redact(text)).toBe(text)
      }),
    )
  })
})
