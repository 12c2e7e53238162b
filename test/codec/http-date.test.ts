import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseHttpDate } from '../../src/codec/http-date.js'
import { anyText } from '../support/arbitraries.js'

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** The three forms of a date in a header, the last two of them obsolete, and to be read all the same. */
const forms: Readonly<Record<string, (date: Date) => string>> = {
  'Wed, 01 Jan 2025 00:00:07 GMT': (date) => date.toUTCString(),
  'Wednesday, 01-Jan-25 00:00:07 GMT': (date) => {
    const [, day, month, year, time] = date.toUTCString().split(/,? /)
    return `${days[date.getUTCDay()]}, ${day}-${month}-${year?.slice(2)} ${time} GMT`
  },
  'Wed Jan  1 00:00:07 2025': (date) => {
    const [name, day, month, year, time] = date.toUTCString().split(/,? /)
    return `${name} ${month} ${String(Number(day)).padStart(2)} ${time} ${year}`
  },
}

const seconds = fc.integer({ min: Date.UTC(2000, 0) / 1000, max: Date.UTC(2049, 0) / 1000 })

describe('a date of a header', () => {
  it.each(Object.entries(forms))('is read as GMT where it is written like %s', (example, write) => {
    expect(write(new Date(Date.UTC(2025, 0, 1, 0, 0, 7)))).toBe(example)
    fc.assert(
      fc.property(seconds, (at) => {
        expect(parseHttpDate(write(new Date(at * 1000)))).toBe(at * 1000)
      }),
    )
  })

  it('is read as GMT wherever it is read', () => {
    const script =
      "import { parseHttpDate } from './src/codec/http-date.ts'; console.log(parseHttpDate('Wed Jan  1 00:00:07 2025'))"
    const env = { ...process.env, TZ: 'America/New_York' }
    const args = ['--import', 'tsx', '--input-type=module', '--eval', script]
    expect(Number(execFileSync(process.execPath, args, { env, encoding: 'utf8' }))).toBe(
      Date.UTC(2025, 0, 1, 0, 0, 7),
    )
  })

  it.each([undefined, '', '-5', '5', '2025-01-01', 'Mon', 'soon'])('is none: %j', (text) => {
    expect(parseHttpDate(text)).toBeNaN()
  })

  it('never makes it throw, whatever it is', () => {
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
