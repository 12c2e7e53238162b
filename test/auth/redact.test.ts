import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redacted, redactedCut, spellingsOf } from '../../src/auth/redact.js'

const secret = '2HS4N9TIOxzyvZQU6dz4+wEnxqYWceKPA/uroSbmeiY'
const secrets = spellingsOf(secret)

describe('a text that repeats a secret', () => {
  it.each([
    ['as it is', secret],
    ['as JSON may escape it', secret.replaceAll('/', '\\/')],
    ['as a URL escapes it', encodeURIComponent(secret)],
    ['in the url-safe alphabet', secret.replace('+', '-').replace('/', '_')],
  ])('%s is without it, wherever it stands and however often', (_, spelled) => {
    expect(redacted(`${spelled}a${spelled}b`, secrets)).toBe('[redacted]a[redacted]b')
    expect(redactedCut(`${spelled}a${spelled}b`, secrets)).toBe('[redacted]a[redacted]b')
  })

  it('and was cut in the middle of it is without the beginning, but not without a few characters', () => {
    expect(redactedCut(`x ${secret.slice(0, -1)}`, secrets)).toBe('x [redacted]')
    expect(redactedCut(`x ${secret.slice(0, 8)}`, secrets)).toBe('x [redacted]')
    expect(redactedCut(`x ${secret.slice(0, 7)}`, secrets)).toBe(`x ${secret.slice(0, 7)}`)
  })
})

it('a text without a secret stays as it is', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(redacted(text, secrets)).toBe(text)
      expect(redactedCut(text, secrets)).toBe(text)
    }),
  )
})

it('a secret that is spelled in one way alone has one spelling', () => {
  expect(spellingsOf('abc')).toEqual(['abc'])
})
