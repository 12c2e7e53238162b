import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatChange, formatPrice, formatUsd } from '../../src/number-format/usd.js'

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
