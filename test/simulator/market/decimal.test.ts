import { expect, test } from 'vitest'
import { midpoint, toTokens, toUnits } from '../../../src/simulator/market/market.js'

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
