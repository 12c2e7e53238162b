import { expect, test } from 'vitest'
import fc from 'fast-check'
import {
  formatAge,
  formatChange,
  formatPrice,
  formatLength,
  formatSeconds,
  formatTime,
  formatTokens,
  formatUsd,
  shortAddresses,
  shortAmount,
  shortNumber,
  shortPrice,
  shortTokens,
} from '../../src/view/texts.js'
import { grouped } from '../../src/view/format.js'
import { wbtc, weth } from '../support/tokens.js'

test('formatSeconds counts up in seconds, then with minutes and hours', () => {
  expect([-1, 0, 999, 59_999, 60_000, 125_000, 3_600_000, 90_061_000].map(formatSeconds)).toEqual([
    '0 s',
    '0 s',
    '0 s',
    '59 s',
    '1 min 00 s',
    '2 min 05 s',
    '1 h 00 min',
    '25 h 01 min',
  ])
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

test('formatLength has a decimal below a minute, and ms below 100 of them', () => {
  expect([0, 5, 500, 59_940, 125_000].map(formatLength)).toEqual([
    ...['0.0 s', '5 ms', '0.5 s', '59.9 s', '2 min 05 s'],
  ])
})

test('shortAddresses keeps both ends of each address, and short ones whole', () => {
  expect(shortAddresses(`pair ${weth}-${wbtc} of 0xdead`)).toBe(
    'pair 0x82af\u2026bab1-0x2f2a\u20265b0f of 0xdead',
  )
})

test('formatTime gives ISO 8601, or the number outside the range of dates', () => {
  expect([0, 8.64e15, 8.64e15 + 1].map(formatTime)).toEqual([
    '1970-01-01T00:00:00.000Z',
    '+275760-09-13T00:00:00.000Z',
    '8640000000000001',
  ])
})

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

test.each([
  ['0', '0'],
  ['999.50', '999.50'],
  ['7104.346', '7,104.346'],
  ['-61685.9950', '-61,685.9950'],
  ['-100', '-100'],
  ['123456789012.1234', '123,456,789,012.1234'],
  ['1.2346e20', '1.2346e20'],
])('%s in groups is %s', (decimal, text) => {
  expect(grouped(decimal)).toBe(text)
})

test('shortAmount has cents below 1000 only', () => {
  expect([999.994, 1000, 136_737.74].map(shortAmount)).toEqual(['999.99', '1,000', '136,737'])
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

test('shortTokens rounds', () => {
  expect(shortTokens(50_973_912_345_000_000_000n, 18)).toBe('50.974')
  expect(shortTokens(2_615_112_345n, 9)).toBe('2.6151')
  expect(shortTokens(50_973_912_345_000_000_000n, undefined)).toBe('5.0974e19')
  expect(shortTokens(999_999n, undefined)).toBe('999,999')
})

test('shortTokens shows millions, billions and trillions with five digits', () => {
  const millions = [1, 123.456789, 5_566.123, 999_999.999, 12_345_678].map((each) => BigInt(each * 1e6))
  expect(millions.map((tokens) => shortTokens(tokens * 10n ** 18n, 18))).toEqual([
    '1.0000 M',
    '123.46 M',
    '5.5661 B',
    '1.0000 T',
    '12.346 T',
  ])
  expect(shortTokens(-2_500_000_000n, 2)).toBe('-25.000 M')
  expect(shortTokens(2_500_000n, undefined)).toBe('2.5000 M')
})

test('shortTokens is finite and short for any quantity', () => {
  expect(shortTokens(10n ** 400n, 18)).toBe('1e382')
  expect(shortTokens(1n, 18)).toBe('1e-18')
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }), fc.nat(40), (units, decimals) => {
      const text = shortTokens(units, decimals)
      expect(text).toMatch(/^-?[\d,]+(\.\d+)?( [MBT]|e-?\d+)?$/)
      expect(text.length).toBeLessThanOrEqual(16)
    }),
  )
})

test('shortPrice separates groups of three digits', () => {
  expect(shortPrice(61_685.995)).toBe('61,685.9950')
  expect(shortPrice(123_456_789)).toBe('123,456,789.0000')
  expect(shortPrice(0.5)).toBe('0.500000')
})

test('shortPrice is a short text that is close to any price', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-300, max: 1e300, noNaN: true }), (usd) => {
      const text = shortPrice(usd)
      expect(text.length).toBeLessThanOrEqual(16)
      expect(Math.abs(Number(text.replaceAll(',', '')) - usd)).toBeLessThanOrEqual(usd * 1e-4)
    }),
  )
})
