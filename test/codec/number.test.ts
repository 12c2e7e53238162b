import fc from 'fast-check'
import { isLeft, isRight, right } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { NumberLiteral } from '../../src/codec/json.js'
import { EpochMillis, MidpointPrice, PriceValue, UsdAmount } from '../../src/codec/number.js'
import { anyText, priceText, priceValue } from '../support/arbitraries.js'

const amount = fc.double({ min: 0, max: Infinity, maxExcluded: true, noNaN: true })

describe.each([
  ['MidpointPrice', MidpointPrice, priceValue],
  ['UsdAmount', UsdAmount, amount],
  ['EpochMillis', EpochMillis, fc.maxSafeInteger()],
] as const)('%s (section 2.1)', (_name, codec, numbers) => {
  it('decodes a number, its literal and its decimal string to the same value', () => {
    fc.assert(
      fc.property(numbers, (value) => {
        expect(codec.is(value)).toBe(true)
        expect(codec.encode(value)).toBe(value)
        expect(codec.decode(value)).toEqual(right(value))
        expect(codec.decode(new NumberLiteral(JSON.stringify(value)))).toEqual(
          right(JSON.parse(JSON.stringify(value))),
        )
        expect(codec.decode(String(value))).toEqual(right(Number(String(value))))
      }),
    )
  })

  it.each([
    '',
    ' ',
    '+1',
    '.5',
    '1.',
    ' 1',
    '1 ',
    '1\n',
    '1e',
    '0x10',
    '0b1',
    '1_000',
    '1,5',
    'Infinity',
    'NaN',
    '١',
  ])('rejects the text %j', (text) => {
    expect(isLeft(codec.decode(text))).toBe(true)
  })

  it.each([NaN, Infinity, -Infinity, null, undefined, true, 1n, [], [1], {}, new Date(1)])(
    'rejects %o',
    (value) => {
      expect(isLeft(codec.decode(value))).toBe(true)
      expect(codec.is(value)).toBe(false)
    },
  )

  it('never throws for a text, and returns valid values only', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, priceText), (text) => {
        const decoded = codec.decode(text)
        if (isRight(decoded)) expect(codec.is(decoded.right)).toBe(true)
      }),
    )
  })
})

describe('each number codec', () => {
  it('has its bounds: a price above 0, an amount from 0, a time in whole ms', () => {
    expect([0, -1].map((value) => isRight(MidpointPrice.decode(value)))).toEqual([false, false])
    expect([0, -1].map((value) => isRight(UsdAmount.decode(value)))).toEqual([true, false])
    expect([0, 1.5, 2 ** 53].map((value) => isRight(EpochMillis.decode(value)))).toEqual([true, false, false])
  })
})

describe('PriceValue (section 2.2)', () => {
  it('decodes a JSON number, and encodes it unchanged', () => {
    fc.assert(
      fc.property(priceValue, (value) => {
        expect(PriceValue.is(value)).toBe(true)
        expect(PriceValue.decode(PriceValue.encode(value))).toEqual(right(value))
      }),
    )
  })

  it('rejects strings and invalid prices', () => {
    const refused = ['1.5', new NumberLiteral('1.5'), 0, -0, -1, NaN, Infinity, null, undefined, 1n]
    expect(refused.filter((value) => isRight(PriceValue.decode(value)))).toEqual([])
  })
})
