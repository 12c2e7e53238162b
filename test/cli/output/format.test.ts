import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  formatAge,
  formatChange,
  formatJson,
  formatPrice,
  formatTokens,
  formatTokensShort,
  shortNumber,
  formatTime,
  formatUsd,
} from '../../../src/cli/output/format.js'

test('formatPrice has decimals by magnitude', () => {
  expect(
    [61685.995, 2682.5, 10, 9.99999949, 0.1 + 0.2, 0.1, 0.09999996, 0.00001234567].map(formatPrice),
  ).toEqual([
    '61685.9950',
    '2682.5000',
    '10.0000',
    '9.999999',
    '0.300000',
    '0.100000',
    '0.100000',
    '0.0000123457',
  ])
})

test('formatPrice is in plain decimal notation and close to any price', () => {
  const price = fc.double({ min: Number.MIN_VALUE, noNaN: true, noDefaultInfinity: true })
  fc.assert(
    fc.property(price, (usd) => {
      const text = formatPrice(usd)
      expect(text).toMatch(/^(?:0|[1-9]\d*)\.\d{4,}$/)
      expect(Math.abs(Number(text) - usd)).toBeLessThanOrEqual(usd * 5.01e-6)
    }),
  )
})

test('formatChange has the decimals of the price, and a sign unless it is 0', () => {
  const changes: readonly (readonly [change: number, price: number])[] = [
    [2, 2500],
    [0, 2500],
    [-0.25, 2500],
    [-0.00001, 2500],
    [0.0002, 1.0001],
    [-0.00000001, 0.00000123],
  ]
  expect(changes.map(([change, price]) => formatChange(change, price))).toEqual([
    '+2.0000',
    '0.0000',
    '-0.2500',
    '0.0000',
    '+0.000200',
    '-0.00000001000',
  ])
})

test('formatUsd rounds to cents', () => {
  expect([136737.7416195, 0, 1e21].map(formatUsd)).toEqual(['136737.74', '0.00', '1000000000000000000000.00'])
})

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

test('formatAge picks seconds, minutes or hours', () => {
  expect([-5, 0, 950, 59_940, 60_000, 3_599_999, 7_200_000].map(formatAge)).toEqual([
    '0.0 s',
    '0.0 s',
    '0.9 s',
    '59.9 s',
    '1 min',
    '59 min',
    '2 h',
  ])
})

test('formatTime gives ISO 8601, or the number outside the range of dates', () => {
  expect([0, 8.64e15, 8.64e15 + 1].map(formatTime)).toEqual([
    '1970-01-01T00:00:00.000Z',
    '+275760-09-13T00:00:00.000Z',
    '8640000000000001',
  ])
})

test('formatJson keeps every digit of a quantity, as text', () => {
  expect(JSON.parse(formatJson({ price: 1.5, buy: { totalQuantity: 2n ** 64n } }))).toEqual({
    price: 1.5,
    buy: { totalQuantity: '18446744073709551616' },
  })
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
