import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Secrets } from '../../../src/wire/auth/secrets.js'

/** Redacts these signatures in base64, and these values. */
const redactorOf = (base64: readonly string[], values: readonly string[] = []) => {
  const secrets = new Secrets()
  for (const each of base64) secrets.addSignature(each)
  for (const each of values) secrets.addValue(each)
  return (text: string): string => secrets.redact(text)
}

const digits = '2HS4N/TIOx+yvZQU6dz4+wEnxqYWceKPA/uroSbmeiY'
const redact = redactorOf([digits])

/** The forms of a text in which it must not appear, and that other software makes. */
const spellings: readonly (readonly [title: string, spell: (text: string) => string])[] = [
  ['as it is', (text) => text],
  ['in a URL', encodeURIComponent],
  [
    'in a URL, with escapes in lower case',
    (text) => encodeURIComponent(text).replace(/%../g, (escape) => escape.toLowerCase()),
  ],
  ['in a form', (text) => new URLSearchParams({ '': text }).toString().slice(1)],
  ['in base64', (text) => Buffer.from(text).toString('base64')],
  ['in base64url', (text) => Buffer.from(text).toString('base64url')],
]

describe('redact', () => {
  it.each([
    ...spellings.map(([title, spell]) => [title, spell(digits)]),
    ['in the url-safe alphabet', digits.replaceAll('+', '-').replaceAll('/', '_')],
    ['in upper case', digits.toUpperCase()],
  ])('replaces every occurrence of a signature: %s', (_title, text) => {
    expect(redact(`${text}.${text}"`)).toBe('[redacted].[redacted]"')
  })

  const base64 = fc
    .uint8Array({ minLength: 24, maxLength: 64 })
    .map((bytes) => Buffer.from(bytes).toString('base64'))
  const value = fc.string({ unit: 'grapheme-ascii', minLength: 6, maxLength: 60 })
  // A `%` in front of digits of a secret would be an escape of another character.
  const other = fc.string({ maxLength: 10 }).map((text) => text.replace(/%[^]?$/, ''))
  const noise = fc.oneof(other, fc.constantFrom('%2,', '=', ' ', '"'))
  const secrets = fc.tuple(
    fc.array(base64, { minLength: 1, maxLength: 3 }),
    fc.array(value, { maxLength: 3 }),
  )

  it('leaves no form of any secret, for any secrets in any forms between other text', () => {
    const pieces = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...spellings), noise), { maxLength: 8 })
    fc.assert(
      fc.property(secrets, pieces, ([signatures, values], parts) => {
        const all = [...signatures, ...values]
        const text = parts.map(([which, [, spell], other]) => spell(all[which % all.length] ?? '') + other)
        const clean = redactorOf(signatures, values)(text.join(''))
        // The mark itself may contain a value of its letters.
        const rest = clean.split('[redacted]')
        for (const secret of all) {
          for (const [, spell] of spellings)
            for (const part of rest) expect(part).not.toContain(spell(secret))
        }
      }),
    )
  })

  it('replaces a signature that is cut off, from eight characters on', () => {
    fc.assert(
      fc.property(base64, fc.string(), fc.nat(), ([...secret], before, cut) => {
        const length = 8 + (cut % (secret.length - 8))
        const text = `${before} ${secret.slice(0, length).join('')}`
        expect(redactorOf([secret.join('')])(text).endsWith('[redacted]')).toBe(true)
        expect(redactorOf([secret.join('')])(`${text}…`).endsWith('[redacted]…')).toBe(true)
      }),
    )
    expect(redact(`x ${digits.slice(0, 7)}`)).toBe(`x ${digits.slice(0, 7)}`)
  })

  it('keeps the length limit of a text', () => {
    const text = `${' '.repeat(2040)}${digits}`.slice(0, 2048)
    expect(redactorOf([digits])(text)).toHaveLength(2048)
  })

  it('does not change a text without a secret', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(redact(text)).toBe(text)
      }),
    )
  })

  it('replaces the longest of several values with one beginning', () => {
    const values = ['eyJhbGciOiJIUzI1NiJ9', 'eyJhbGciOiJIUzI1NiJ9.first', 'eyJhbGciOiJIUzI1NiJ9.second.end']
    const clean = redactorOf([], values)
    for (const value of [...values, 'eyJhbGciOiJIUzI1NiJ9.second.e'])
      expect(clean(`no ${value}`)).toBe('no [redacted]')
  })

  it('does not replace values of less than six characters', () => {
    expect(redactorOf([], ['12345', '123456'])('12345 123456')).toBe('12345 [redacted]')
    expect(redactorOf([], ['12345'])('MTIzNDU=')).toBe('MTIzNDU=')
    expect(redactorOf([], ['      '])('a b')).toBe('a b')
  })
})

describe('the secrets of a URL', () => {
  const urlRedactor = (url: string) => {
    const secrets = new Secrets()
    secrets.addUrl(new URL(url))
    return (text: string): string => secrets.redact(text)
  }

  it.each([
    'key',
    'apiKey',
    'API_KEY',
    'token',
    'access-token',
    'secret',
    'X-Signature',
    'auth',
    'authorization',
  ])('are the values of the parameter %s, decoded and as they are', (name) => {
    const clean = urlRedactor(`https://a.example/?x=1&${name}=top%2fsecret+word`)
    expect(clean('top/secret word, top%2fsecret+word, TOP%2FSECRET%20WORD')).toBe(
      '[redacted], [redacted], [redacted]',
    )
  })

  it('are no other values, names or parts of a path', () => {
    const token = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
    const url = `https://gate.example/prices-of-arbitrum/${token}?network=arbitrum&base=${token}&token&key=`
    expect(urlRedactor(url)(`no route on ${url}`)).toBe(`no route on ${url}`)
  })
})

it('replaces the words of a value, but not the name of a scheme', () => {
  const secrets = new Secrets()
  secrets.addValue('Bearer sk_7Hq-2fVn9')
  expect(secrets.redact('Bearer sk_7Hq-2fVn9; the Bearer is sk_7Hq-2fVn9')).toBe(
    '[redacted]; the Bearer is [redacted]',
  )
})

it('replaces the last signatures, however many requests there were', () => {
  const secrets = new Secrets()
  const signature = (index: number): string => Buffer.from(`signature number ${index}`).toString('base64')
  for (let index = 0; index < 1000; index++) {
    secrets.addSignature(signature(index))
    if (index % 100 === 0) secrets.redact('a text')
  }
  expect(secrets.redact(`${signature(900)} ${signature(999)}`)).toBe('[redacted] [redacted]')
})
