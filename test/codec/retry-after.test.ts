import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseRetryAfter } from '../../src/codec/retry-after.js'
import { anyText } from '../support/arbitraries.js'

const now = Date.UTC(2025, 0, 1)
const at = (ms: number): string => new Date(ms).toUTCString()

const second = 1000
const seconds = fc.integer({ min: -100_000, max: 100_000 }).map((count) => count * second)

describe('parseRetryAfter', () => {
  it('parses whole seconds', () => {
    fc.assert(
      fc.property(fc.nat(), (count) => {
        expect(parseRetryAfter(String(count), undefined, now)).toBe(count * second)
        expect(parseRetryAfter(` ${count} `, at(0), now)).toBe(count * second)
      }),
    )
  })

  it('parses any number of digits to a finite delay', () => {
    expect(parseRetryAfter('9'.repeat(13), undefined, now)).toBe(Number.MAX_SAFE_INTEGER)
    expect(parseRetryAfter('9'.repeat(400), undefined, now)).toBe(Number.MAX_SAFE_INTEGER)
  })

  it('compares a date with the local clock if the response has no Date', () => {
    fc.assert(
      fc.property(seconds, (wait) => {
        expect(parseRetryAfter(at(now + wait), undefined, now)).toBe(Math.max(0, wait))
        expect(parseRetryAfter(at(now + wait), 'tomorrow', now)).toBe(Math.max(0, wait))
      }),
    )
  })

  it('compares a date with the Date of the response', () => {
    fc.assert(
      fc.property(seconds, seconds, (wait, offset) => {
        expect(parseRetryAfter(at(now + offset + wait), at(now + offset), now)).toBe(Math.max(0, wait))
      }),
    )
  })

  it.each([undefined, '', ' ', '-5', '1.5', '5s', 'soon', 'in 5', 'NaN', 'Infinity', '0x10', '1e3', 'Mon'])(
    'returns undefined for %j',
    (header) => {
      expect(parseRetryAfter(header, undefined, now)).toBeUndefined()
    },
  )

  it('returns undefined or a finite delay of at least 0, and never throws', () => {
    const header = fc.option(
      fc.oneof(
        anyText,
        seconds.map(at),
        anyText.map((text) => `Mon, ${text}`),
      ),
      { nil: undefined },
    )
    fc.assert(
      fc.property(header, header, (retryAfter, date) => {
        const wait = parseRetryAfter(retryAfter, date, now) ?? 0
        expect(Number.isFinite(wait)).toBe(true)
        expect(wait).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})
