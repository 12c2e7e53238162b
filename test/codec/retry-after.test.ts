import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseRetryAfter } from '../../src/codec/retry-after.js'
import { anyText } from '../support/arbitraries.js'

const now = Date.UTC(2025, 0, 1)
const at = (ms: number): string => new Date(ms).toUTCString()

const second = 1000
const seconds = fc.integer({ min: -100_000, max: 100_000 }).map((count) => count * second)

describe('retryAfterMs', () => {
  it('reads whole seconds', () => {
    fc.assert(
      fc.property(fc.nat(), (count) => {
        expect(parseRetryAfter(String(count), undefined, now)).toBe(count * second)
        expect(parseRetryAfter(` ${count} `, at(0), now)).toBe(count * second)
      }),
    )
  })

  it('reads a date against our clock where the service does not tell its own', () => {
    fc.assert(
      fc.property(seconds, (wait) => {
        expect(parseRetryAfter(at(now + wait), undefined, now)).toBe(Math.max(0, wait))
        expect(parseRetryAfter(at(now + wait), 'tomorrow', now)).toBe(Math.max(0, wait))
      }),
    )
  })

  it("reads a date against the service's clock where it does", () => {
    fc.assert(
      fc.property(seconds, seconds, (wait, offset) => {
        expect(parseRetryAfter(at(now + offset + wait), at(now + offset), now)).toBe(Math.max(0, wait))
      }),
    )
  })

  it.each([
    undefined,
    '',
    ' ',
    '-5',
    '1.5',
    '5s',
    'soon',
    'in 5',
    'NaN',
    'Infinity',
    '0x10',
    '1e3',
    'Mon',
    '9999999999999',
  ])('knows no wait in %j', (header) => {
    expect(parseRetryAfter(header, undefined, now)).toBeUndefined()
  })

  it('never throws: nothing, or a finite wait of at least 0', () => {
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
