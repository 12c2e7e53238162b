import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  formatAge,
  formatChange,
  formatJson,
  formatPrice,
  formatQuantity,
  formatQuantityShort,
  shortNumber,
  formatTime,
  formatUsd,
} from '../../../src/cli/output/format.js'

test('formatPrice keeps significant digits of small prices', () => {
  expect([61685.995, 2682.5, 1, 0.5312, 0.00001234567].map(formatPrice)).toEqual([
    '61,685.995',
    '2,682.50',
    '1.00',
    '0.5312',
    '0.000012346',
  ])
})

test('formatChange adds a sign', () => {
  expect([2, 0, -0.25].map(formatChange)).toEqual(['+2.00', '0.00', '-0.250'])
})

test('formatUsd rounds to cents', () => {
  expect(formatUsd(136737.7416195)).toBe('136,737.74')
})

test('formatQuantity converts to tokens exactly', () => {
  expect(formatQuantity(50_973_900_000_000_000_000n, 18)).toBe('50.9739')
  expect(formatQuantity(1n, 18)).toBe('0.000000000000000001')
  expect(formatQuantity(100n, 2)).toBe('1')
  expect(formatQuantity(0n, 8)).toBe('0')
  expect(formatQuantity(12n, 0)).toBe('12')
  expect(formatQuantity(12n, undefined)).toBe('12 units')
})

test('formatQuantity loses no digit', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 40n }),
      fc.integer({ min: 0, max: 30 }),
      (units, decimals) => {
        const [whole = '', fraction = ''] = formatQuantity(units, decimals).split('.')
        expect(BigInt(whole + fraction.padEnd(decimals, '0'))).toBe(units)
      },
    ),
  )
})

test('formatQuantityShort rounds', () => {
  expect(formatQuantityShort(50_973_912_345_000_000_000n, 18)).toBe('50.9739')
  expect(formatQuantityShort(50_973_912_345_000_000_000n, undefined)).toBe('5.097e19')
  expect(formatQuantityShort(999_999n, undefined)).toBe('999999')
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

test('formatQuantityShort is finite and short for any quantity', () => {
  expect(formatQuantityShort(10n ** 400n, 18)).toBe('1e382')
  expect(formatQuantityShort(1n, 18)).toBe('1e-18')
  expect(formatQuantityShort(123_456_789n * 10n ** 18n, 18)).toBe('123,457,000')
})

test('shortNumber uses scientific notation for a long text only', () => {
  expect(shortNumber(9_999_999_999.99, formatPrice)).toBe('9,999,999,999.99')
  expect(shortNumber(1e100, formatPrice)).toBe('1e100')
  expect(shortNumber(-2.5e-20, formatChange)).toBe('-2.5e-20')
})
