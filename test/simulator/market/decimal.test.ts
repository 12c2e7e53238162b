import fc from 'fast-check'
import { expect, test } from 'vitest'
import { midpoint, plainDecimal, toTokens, toUnits } from '../../../src/simulator/market/market.js'

test('plainDecimal formats numbers of any size', () => {
  expect([2682.505, 0, 1e-7, 1.5e-7, 1e21, 1.25e22, 5e-324].map(plainDecimal)).toEqual([
    '2682.505',
    '0',
    '0.0000001',
    '0.00000015',
    '1000000000000000000000',
    '12500000000000000000000',
    `0.${'0'.repeat(323)}5`,
  ])
})

test('plainDecimal writes no exponent, and its text parses to the same number, for any number', () => {
  const amount = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true })
  fc.assert(
    fc.property(amount, (value) => {
      const text = plainDecimal(value)
      expect(text).toMatch(/^\d+(\.\d+)?$/)
      expect(Number(text)).toBe(value)
    }),
  )
})

test('toUnits converts tokens to units exactly, and truncates', () => {
  expect(toUnits('2.44816', 8)).toBe(244_816_000n)
  expect(toUnits('50.9739', 18)).toBe(50_973_900_000_000_000_000n)
  expect(toUnits('7', 0)).toBe(7n)
  expect(toUnits('0.123456789', 8)).toBe(12_345_678n)
  expect(toTokens(244_816_000n, 8)).toBe(2.44816)
})

test('midpoint has no rounding errors of binary fractions', () => {
  expect((61685.98 + 61686) / 2).not.toBe(61685.99)
  expect(midpoint(61685.98, 61686)).toBe(61685.99)
  expect(midpoint(2682.5, 2682.51)).toBe(2682.505)
})
