import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatTokens, formatTokensShort, shortNumber } from '../../src/number-format/tokens.js'
import { formatChange, formatPrice } from '../../src/number-format/usd.js'

test('formatTokens converts to tokens exactly', () => {
  expect(formatTokens(50_973_900_000_000_000_000n, 18)).toBe('50.9739')
  expect(formatTokens(1n, 18)).toBe('0.000000000000000001')
  expect(formatTokens(100n, 2)).toBe('1')
  expect(formatTokens(0n, 8)).toBe('0')
  expect(formatTokens(12n, 0)).toBe('12')
  expect(formatTokens(12n, undefined)).toBe('12 units')
})

test('formatTokens loses no digit', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 40n }),
      fc.integer({ min: 0, max: 30 }),
      (units, decimals) => {
        const [whole = '', fraction = ''] = formatTokens(units, decimals).split('.')
        expect(BigInt(whole + fraction.padEnd(decimals, '0'))).toBe(units)
      },
    ),
  )
})

test('formatTokensShort rounds', () => {
  expect(formatTokensShort(50_973_912_345_000_000_000n, 18)).toBe('50.974')
  expect(formatTokensShort(2_615_112_345n, 9)).toBe('2.6151')
  expect(formatTokensShort(50_973_912_345_000_000_000n, undefined)).toBe('5.097e19')
  expect(formatTokensShort(999_999n, undefined)).toBe('999999')
})

test('formatTokensShort is finite and short for any quantity', () => {
  expect(formatTokensShort(10n ** 400n, 18)).toBe('1e382')
  expect(formatTokensShort(1n, 18)).toBe('1e-18')
  expect(formatTokensShort(123_456_789n * 10n ** 18n, 18)).toBe('123,456,789.000')
})

test('shortNumber uses scientific notation for a long text only', () => {
  expect(shortNumber(9_999_999.99, formatPrice)).toBe('9,999,999.9900')
  expect(shortNumber(1e100, formatPrice)).toBe('1e100')
  expect(shortNumber(-2.5e-20, (usd) => formatChange(usd, 1e-15))).toBe('-2.5e-20')
})

test('shortNumber separates thousands, not decimals', () => {
  expect([999, 1000, -61685.995, 0.00001234].map((value) => shortNumber(value, formatPrice))).toEqual([
    '999.0000',
    '1,000.0000',
    '-61,685.9950',
    '0.0000123400',
  ])
})
