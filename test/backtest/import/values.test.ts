import fc from 'fast-check'
import { parseQuantity } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { isSeparated, numberOf, timeOf, unitOf, unitsOf } from '../../../src/backtest/import/values.js'
import { caseCount } from '../../support/run/long.js'

const time = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2100, 0) - 1 })

describe('timeOf', () => {
  it('rounds a time of any unit down to ms, by its digits', () => {
    fc.assert(
      fc.property(time, fc.stringMatching(/^\d{6}$/), (ms, fraction) => {
        const iso = new Date(ms).toISOString().slice(0, -1)
        const texts = [
          ...[`${ms}`, `${ms}.${fraction}`, `${ms}${fraction.slice(3)}`, `${ms}${fraction}`],
          ...[
            `${Math.floor(ms / 1000)}.${String(ms % 1000).padStart(3, '0')}${fraction}`,
            `${iso}${fraction}Z`,
          ],
          ...[`${iso}${fraction}`, iso.replace('T', ' '), `${iso}+00:00`, ` ${iso} UTC `],
        ]
        for (const text of texts) {
          const unit = unitOf(text)
          expect([text, unit === undefined ? unit : timeOf(text, unit)]).toEqual([text, ms])
        }
      }),
      { numRuns: caseCount(2000) },
    )
  })

  it.each([
    ['2025-11-13T02:14:00+02:30', Date.UTC(2025, 10, 12, 23, 44)],
    ['2025-11-13 02:14', Date.UTC(2025, 10, 13, 2, 14)],
    ['2025-11-13', Date.UTC(2025, 10, 13)],
    ['2025-11-13 02:14:05+01', Date.UTC(2025, 10, 13, 1, 14, 5)],
    ['20251113T021405,5-0230', Date.UTC(2025, 10, 13, 4, 44, 5, 500)],
    ['2025/11/13 02:14:05', Date.UTC(2025, 10, 13, 2, 14, 5)],
    ['1.76300004e9', 1_763_000_040_000],
    ['1763000040', 1_763_000_040_000],
    ['1763000040000.0', 1_763_000_040_000],
  ])('reads %s', (text, ms) => {
    const unit = unitOf(text)
    expect(unit).toBeDefined()
    if (unit !== undefined) expect(timeOf(text, unit)).toBe(ms)
  })

  it.each([
    '',
    'not a time',
    '0',
    '-1763000040',
    '2025-02-30',
    '20251113',
    '2025-11/13',
    '2025-13-01',
    '2025-11-13T25:00:00Z',
    '2025-11-13T02:14:00+25:00',
    '2025-11-13T02:14:00+01:99',
    '2680.5',
    'NaN',
  ])('has no unit for %j', (text) => {
    expect(unitOf(text)).toBeUndefined()
  })
})

describe('numberOf', () => {
  it.each([
    ['2680.50000000', 2680.5],
    ['1e-7', 1e-7],
    [' 3 ', 3],
    ['.5', 0.5],
    ['-3', -3],
    ['0', 0],
  ])('reads %s', (text, value) => {
    expect(numberOf(text)).toBe(value)
  })

  it.each(['', ' ', 'NaN', 'Infinity', '0x10', '0b1', '1,5', '12a', '"1'])(
    'reads no number in %j',
    (text) => {
      expect(numberOf(text)).toBeNaN()
    },
  )
})

describe('isSeparated', () => {
  it.each(['1,355.90', '1.355,90', '1 355', '1\u202f355', '1’355.90', "1'355"])(
    'knows groups of digits in %j',
    (text) => {
      expect(isSeparated(text)).toBe(true)
    },
  )

  it.each(['1355.90', '1355', '-5', ' 5 ', 'n/a', ''])('knows none in %j', (text) => {
    expect(isSeparated(text)).toBe(false)
  })
})

describe('unitsOf', () => {
  it('gives the units of parseQuantity', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{1,25}(\.\d{1,18})?$/), (text) => {
        expect(unitsOf(text, 18)).toEqual((parseQuantity(text, 18) as { right: bigint }).right)
      }),
      { numRuns: caseCount(1000) },
    )
  })

  it('rounds down, and reads exponents', () => {
    expect(unitsOf('1.0e-07', 18)).toBe(100_000_000_000n)
    expect(unitsOf('1.99', 1)).toBe(19n)
    expect(unitsOf('.5', 1)).toBe(5n)
    for (const text of ['', '.', '-1', 'NaN', 'x']) expect(unitsOf(text, 18)).toBeUndefined()
  })
})
