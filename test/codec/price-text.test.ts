import fc from 'fast-check'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { decodePriceText } from '../../src/codec/price-text.js'
import { expectDecodeError } from '../errors/support/well-formed.js'
import { anyText, mutate, priceText, priceValue } from '../support/arbitraries.js'

describe('decodePriceText (section 4.2)', () => {
  it('returns the price in the text', () => {
    fc.assert(
      fc.property(priceValue, (price) => {
        expect(decodePriceText(String(price))).toEqual(right(price))
      }),
    )
  })

  it('returns the double that JSON.parse returns, and rejects 0 and infinity', () => {
    fc.assert(
      fc.property(priceText, (text) => {
        const price = JSON.parse(text) as number
        if (price > 0 && price < Infinity) expect(decodePriceText(text)).toEqual(right(price))
        else expect(isLeft(decodePriceText(text))).toBe(true)
      }),
    )
  })

  it.each([
    ['2682.505', 2682.505],
    [' 2682.505\r\n', 2682.505],
    ['+1', 1],
    ['.5', 0.5],
    ['5.', 5],
    ['1e-7', 1e-7],
    ['007', 7],
  ])('accepts %j', (text, price) => {
    expect(decodePriceText(text)).toEqual(right(price))
  })

  it.each([
    '',
    ' ',
    '0',
    '-0',
    '0.000',
    '-1',
    '1e-400',
    '1e400',
    'NaN',
    'Infinity',
    'null',
    '12abc',
    '0x10',
    '1,5',
    '1 2',
    '"1.5"',
    '1.2.3',
    '.',
    'e5',
    '{"price":1}',
    '١',
  ])('rejects %j', (text) => {
    const price = decodePriceText(text)
    if (!isLeft(price)) return expect.unreachable()
    expectDecodeError(price.left, text)
  })

  it('returns a price or a DecodeError, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, priceText.chain(mutate)), (text) => {
        const price = decodePriceText(text)
        if (isLeft(price)) expectDecodeError(price.left, text)
        else expect(price.right).toSatisfy((value: number) => value > 0 && value < Infinity)
      }),
      { numRuns: 500 },
    )
  })
})
