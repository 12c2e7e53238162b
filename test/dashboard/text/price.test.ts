import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withoutSeparators } from '../../../src/number-format/digit-groups.js'
import { amountDigits, priceDigits } from '../../../src/dashboard/text/price.js'

test('priceDigits separates groups of three digits', () => {
  expect(priceDigits(61_685.995)).toEqual({ whole: ['61', '685'], fraction: '.9950' })
  expect(priceDigits(123_456_789)).toEqual({ whole: ['123', '456', '789'], fraction: '.0000' })
  expect(priceDigits(0.5)).toEqual({ whole: ['0'], fraction: '.500000' })
})

test('amountDigits has cents below 1000 only', () => {
  expect([999.994, 1000, 136_737.74].map((usd) => withoutSeparators(amountDigits(usd)))).toEqual([
    '999.99',
    '1000',
    '136737',
  ])
})

test('priceDigits is a short text that is close to any price', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-300, max: 1e300, noNaN: true }), (usd) => {
      const text = withoutSeparators(priceDigits(usd))
      expect(text.length).toBeLessThanOrEqual(16)
      expect(Math.abs(Number(text) - usd)).toBeLessThanOrEqual(usd * 1e-4)
    }),
  )
})
