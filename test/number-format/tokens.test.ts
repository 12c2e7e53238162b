import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withCommas } from '../../src/number-format/digit-groups.js'
import { formatTokens, shortTokens } from '../../src/number-format/tokens.js'

const shown = (units: bigint, decimals: number | undefined): string =>
  withCommas(shortTokens(units, decimals))

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
  expect(shown(50_973_912_345_000_000_000n, 18)).toBe('50.974')
  expect(shown(2_615_112_345n, 9)).toBe('2.6151')
  expect(shown(50_973_912_345_000_000_000n, undefined)).toBe('5.0974e19')
  expect(shown(999_999n, undefined)).toBe('999,999')
})

test('shortTokens is finite and short for any quantity', () => {
  expect(shown(10n ** 400n, 18)).toBe('1e382')
  expect(shown(1n, 18)).toBe('1e-18')
  expect(shown(123_456_789n * 10n ** 18n, 18)).toBe('123,456,789.000')
})
