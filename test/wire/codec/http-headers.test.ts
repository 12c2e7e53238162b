import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseHttpDate, parseRetryAfter } from '../../../src/wire/codec/http-headers.js'
import { anyText } from '../../support/arbitraries.js'

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** Two forms of an HTTP date. The second one is obsolete, but services send it. */
const forms: Readonly<Record<string, (date: Date) => string>> = {
  'Wed, 01 Jan 2025 00:00:07 GMT': (date) => date.toUTCString(),
  'Wednesday, 01-Jan-25 00:00:07 GMT': (date) => {
    const [, day, month, year, time] = date.toUTCString().split(/,? /)
    return `${days[date.getUTCDay()]}, ${day}-${month}-${year?.slice(2)} ${time} GMT`
  },
}

const seconds = fc.integer({ min: Date.UTC(2000, 0) / 1000, max: Date.UTC(2049, 0) / 1000 })

describe('parseHttpDate', () => {
  it.each(Object.entries(forms))('parses the form %s as GMT', (example, write) => {
    expect(write(new Date(Date.UTC(2025, 0, 1, 0, 0, 7)))).toBe(example)
    fc.assert(
      fc.property(seconds, (at) => {
        expect(parseHttpDate(write(new Date(at * 1000)))).toBe(at * 1000)
      }),
    )
  })

  it.each([undefined, '', '-5', '5', '2025-01-01', 'Mon', 'soon', 'Wed Jan  1 00:00:07 2025'])(
    'returns NaN for %j',
    (text) => {
      expect(parseHttpDate(text)).toBeNaN()
    },
  )

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          anyText.map((text) => `Mon, ${text}`),
        ),
        (text) => {
          expect(typeof parseHttpDate(text)).toBe('number')
        },
      ),
    )
  })
})

const now = Date.UTC(2025, 0, 1)
const at = (ms: number): string => new Date(ms).toUTCString()

const second = 1000
const delays = fc.integer({ min: -100_000, max: 100_000 }).map((count) => count * second)

describe('parseRetryAfter', () => {
  it('parses whole delays', () => {
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
      fc.property(delays, (wait) => {
        expect(parseRetryAfter(at(now + wait), undefined, now)).toBe(Math.max(0, wait))
        expect(parseRetryAfter(at(now + wait), 'tomorrow', now)).toBe(Math.max(0, wait))
      }),
    )
  })

  it('compares a date with the Date of the response', () => {
    fc.assert(
      fc.property(delays, delays, (wait, offset) => {
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
        delays.map(at),
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
