import { expect, test } from 'vitest'
import { withCommas } from '../../src/number-format/digit-groups.js'
import { shortNumber } from '../../src/number-format/short-number.js'
import { formatChange, formatPrice } from '../../src/number-format/usd.js'

const shown = (value: number, formatted = formatPrice): string => withCommas(shortNumber(value, formatted))

test('shortNumber uses scientific notation for a long text only', () => {
  expect(shown(9_999_999.99, formatPrice)).toBe('9,999,999.9900')
  expect(shown(1e100, formatPrice)).toBe('1e100')
  expect(shown(-2.5e-20, (usd) => formatChange(usd, 1e-15))).toBe('-2.5e-20')
})

test('shortNumber separates thousands, not decimals', () => {
  expect([999, 1000, -61685.995, 0.00001234].map((value) => shown(value))).toEqual([
    '999.0000',
    '1,000.0000',
    '-61,685.9950',
    '0.0000123400',
  ])
})
