import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { feeFor } from '../../../examples/paper-trading/fees.js'
import {
  basisPoints,
  formatMoney,
  formatPrice,
  money,
  quantityFor,
  unitPrice,
  valueOf,
} from '../../../examples/paper-trading/money.js'
import { ceiling, fromDouble, isEqual, multiply, rational } from '../../backtest/paper/support/rational.js'

const usd = fc.double({ min: 1e-13, max: 1e30, noNaN: true })
const quantity = fc.bigInt({ min: 1n, max: 10n ** 40n })
const decimals = fc.integer({ min: 0, max: 18 })

const amountOf = (amount: bigint) => rational(amount, 10n ** 48n)

describe('money', () => {
  it('is the exact value of the shortest decimal text of a double', () => {
    fc.assert(
      fc.property(usd, (value) => {
        expect(isEqual(rational(unitPrice(value), 10n ** 30n), fromDouble(value))).toBe(true)
        expect(isEqual(amountOf(money(value)), fromDouble(value))).toBe(true)
      }),
    )
  })

  it.each([-1, NaN, Infinity])('rejects %s', (value) => {
    expect(() => money(value)).toThrow(RangeError)
  })

  it('multiplies a price by a quantity without rounding', () => {
    fc.assert(
      fc.property(usd, quantity, decimals, (value, units, digits) => {
        const exact = multiply(fromDouble(value), rational(units, 10n ** BigInt(digits)))
        expect(isEqual(amountOf(valueOf(unitPrice(value), units, digits)), exact)).toBe(true)
      }),
    )
  })

  it('buys the largest quantity that an amount pays', () => {
    fc.assert(
      fc.property(usd, usd, decimals, (amount, value, digits) => {
        const [paid, price] = [money(amount), unitPrice(value)]
        const bought = quantityFor(paid, price, digits)
        expect(valueOf(price, bought, digits) <= paid).toBe(true)
        expect(valueOf(price, bought + 1n, digits) > paid).toBe(true)
      }),
    )
  })

  it.each([
    [1234.5, '1,234.50'],
    [0.005, '0.01'],
    [0.004999, '0.00'],
    [1_000_000, '1,000,000.00'],
    [0, '0.00'],
  ])('formats %s USD', (value, expected) => {
    expect(formatMoney(money(value))).toBe(expected)
    expect(formatPrice(unitPrice(value))).toBe(expected)
  })

  it('formats a negative amount', () => {
    expect(formatMoney(-money(1234.565))).toBe('-1,234.57')
    expect(formatMoney(-money(0.4), 0)).toBe('0')
  })
})

describe('feeFor', () => {
  it('rounds up to 0.000001 USD, and charges nothing at a rate of 0', () => {
    const rate = fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100)
    fc.assert(
      fc.property(usd, rate, (value, bps) => {
        const exact = multiply(fromDouble(value), multiply(fromDouble(bps), rational(1n, 10_000n)))
        const steps = ceiling(multiply(exact, rational(1_000_000n)))
        const fee = feeFor(money(value), basisPoints(bps))
        expect(isEqual(amountOf(fee), rational(steps, 1_000_000n))).toBe(true)
      }),
    )
    expect(feeFor(money(5), 0n)).toBe(0n)
  })
})
