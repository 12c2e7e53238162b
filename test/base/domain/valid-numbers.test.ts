import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPriceValue } from '../../../src/base/domain/valid-numbers.js'
import { priceValue } from '../../support/arbitraries.js'

describe('isPriceValue (section 2.2)', () => {
  it('accepts every finite number above 0', () => {
    fc.assert(
      fc.property(priceValue, (price) => {
        expect(isPriceValue(price)).toBe(true)
      }),
    )
    expect(isPriceValue(Number.MIN_VALUE)).toBe(true)
    expect(isPriceValue(Number.MAX_VALUE)).toBe(true)
  })

  it('rejects 0 and negative numbers', () => {
    fc.assert(
      fc.property(priceValue, (price) => {
        expect(isPriceValue(-price)).toBe(false)
      }),
    )
    expect([0, -0, -Infinity].filter(isPriceValue)).toEqual([])
  })

  it('rejects every value that is not a finite number', () => {
    expect(
      [NaN, Infinity, '1', 1n, null, undefined, true, [1], { valueOf: () => 1 }].filter(isPriceValue),
    ).toEqual([])
  })
})
