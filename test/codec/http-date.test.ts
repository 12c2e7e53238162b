import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseHttpDate } from '../../src/codec/http-date.js'
import { anyText } from '../support/arbitraries.js'
import { compiledUrl, spawnScript } from '../support/process/node-process.js'

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** The three forms of an HTTP date. The last two are obsolete, but a client must accept them. */
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

describe('parseHttpDate', () => {
  it.each(Object.entries(forms))('parses the form %s as GMT', (example, write) => {
    expect(write(new Date(Date.UTC(2025, 0, 1, 0, 0, 7)))).toBe(example)
    fc.assert(
      fc.property(seconds, (at) => {
        expect(parseHttpDate(write(new Date(at * 1000)))).toBe(at * 1000)
      }),
    )
  })

  it('does not depend on the time zone of the process', async () => {
    const script = `
      import { parseHttpDate } from ${JSON.stringify(compiledUrl('src/codec/http-date.ts'))}
      console.log(parseHttpDate('Wed Jan  1 00:00:07 2025'))`
    const child = spawnScript(script, {
      environment: { TZ: 'America/New_York' },
    })
    expect([await child.waitForExit(), Number(child.stdout)]).toEqual([0, Date.UTC(2025, 0, 1, 0, 0, 7)])
  })

  it.each([undefined, '', '-5', '5', '2025-01-01', 'Mon', 'soon'])('returns NaN for %j', (text) => {
    expect(parseHttpDate(text)).toBeNaN()
  })

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
