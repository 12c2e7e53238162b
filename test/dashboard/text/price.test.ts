import fc from 'fast-check'
import { expect, test } from 'vitest'
import { amountDigits, digitsText, priceDigits } from '../../../src/dashboard/text/price.js'

test('priceDigits separates groups of three digits', () => {
  expect(priceDigits(61_685.995)).toEqual({ first: '61', second: '', third: '685', fraction: '.9950' })
  expect(priceDigits(2682.5)).toEqual({ first: '2', second: '', third: '682', fraction: '.5000' })
  expect(priceDigits(123_456_789)).toEqual({ first: '123', second: '456', third: '789', fraction: '.0000' })
  expect(priceDigits(0.5)).toEqual({ first: '0', second: '', third: '', fraction: '.500000' })
})

test('amountDigits has cents below 1000 only', () => {
  expect([999.994, 1000, 136_737.74].map((usd) => digitsText(amountDigits(usd)))).toEqual([
    '999.99',
    '1000',
    '136737',
  ])
})

test('priceDigits is a short text that is close to any price', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-300, max: 1e300, noNaN: true }), (usd) => {
      const text = digitsText(priceDigits(usd))
      expect(text.length).toBeLessThanOrEqual(16)
      expect(Math.abs(Number(text) - usd)).toBeLessThanOrEqual(usd * 1e-4)
    }),
  )
})
