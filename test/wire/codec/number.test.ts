import fc from 'fast-check'
import { isLeft, isRight, right } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import {
  EpochMillis,
  MidpointPrice,
  PriceValue,
  UsdAmount,
  parseInteger,
  Quantity,
} from '../../../src/wire/codec/number.js'
import {
  anyText,
  priceText,
  priceValue,
  mutate,
  quantity,
  encodedQuantity,
} from '../../support/arbitraries.js'

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
    const refused = ['1.5', 0, -0, -1, NaN, Infinity, null, undefined, 1n]
    expect(refused.filter((value) => isRight(PriceValue.decode(value)))).toEqual([])
  })
})

describe('parseInteger', () => {
  it('ignores leading zeros, and rejects a million of them before another character', () => {
    const zeros = '0'.repeat(1_000_000)
    expect(parseInteger(zeros)).toBe(0n)
    expect(parseInteger(`${zeros}7e2`)).toBe(700n)
    expect(parseInteger(`-${zeros}`)).toBe(0n)
    // Quadratic time would not end.
    expect(parseInteger(`${zeros}x`)).toBeUndefined()
    expect(parseInteger(`${zeros}${'1'.repeat(1000)}x`)).toBeUndefined()
  })

  it('returns the exact integer of a decimal text', () => {
    fc.assert(
      fc.property(encodedQuantity, ({ text, value }) => {
        expect(parseInteger(text)).toBe(value)
      }),
      { numRuns: 500 },
    )
  })

  it('rejects every number below 0', () => {
    fc.assert(
      fc.property(encodedQuantity, ({ text, value }) => {
        expect(parseInteger(`-${text}`)).toBe(value === 0n ? 0n : undefined)
      }),
    )
  })

  it.each(['-0', '-0.00', '-0e5', '-0.0E-7'])('returns 0 for %s', (text) => {
    expect(parseInteger(text)).toBe(0n)
  })

  it('rejects every number with a fraction', () => {
    fc.assert(
      fc.property(quantity, fc.bigInt({ min: 1n, max: 10n ** 20n }), (whole, fraction) => {
        const text = `${whole}.${fraction}`
        expect(parseInteger(text)).toBeUndefined()
        expect(parseInteger(`${text}e-1`)).toBeUndefined()
        expect(parseInteger(`${text}1e${String(fraction).length}`)).toBeUndefined()
        expect(parseInteger(`${text}1e${String(fraction).length + 1}`)).toBe(BigInt(`${whole}${fraction}1`))
      }),
    )
  })

  it.each(['1e1000', '1e+1000', '1E0001000', `${'1' + '0'.repeat(1000)}e-1000`])(
    'accepts the exponent of %s',
    (text) => {
      expect(parseInteger(text)).toBeTypeOf('bigint')
    },
  )

  it.each(['1e1001', '1e-1001', '0e1001', '0e-1001', '1e99999999999999999999', `1e${'9'.repeat(400)}`])(
    'rejects the exponent of %s',
    (text) => {
      expect(parseInteger(text)).toBeUndefined()
    },
  )

  it.each([
    '',
    ' ',
    '-',
    '+1',
    '.5',
    '1.',
    '1e',
    'e1',
    '1e1.5',
    ' 1',
    '1 ',
    '1\n',
    '1_000',
    '1,000',
    '0x10',
    '1n',
    'Infinity',
    '١',
    '--1',
  ])('rejects %j', (text) => {
    expect(parseInteger(text)).toBeUndefined()
  })

  it('never throws, and never returns a number below 0', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          encodedQuantity.chain(({ text }) => mutate(text)),
        ),
        (text) => {
          const parsed = parseInteger(text) ?? 0n
          expect(parsed >= 0n).toBe(true)
        },
      ),
    )
  })
})

describe('Quantity (section 2.1)', () => {
  it('decodes what it encodes', () => {
    fc.assert(
      fc.property(quantity, (value) => {
        expect(Quantity.is(value)).toBe(true)
        expect(Quantity.encode(value)).toBe(value.toString())
        expect(Quantity.decode(Quantity.encode(value))).toEqual(right(value))
      }),
    )
  })

  it('accepts a float only if it is a safe integer', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (value) => {
        expect(Quantity.decode(value)).toEqual(right(BigInt(value)))
      }),
    )
    const refused = [2 ** 53, 1e21, 1.5, -1, NaN, Infinity]
    expect(refused.filter((value) => !isLeft(Quantity.decode(value)))).toEqual([])
  })

  it('rejects negative bigints and other types as its own value', () => {
    expect([-1n, 1, '1', null, undefined].filter((value) => Quantity.is(value))).toEqual([])
    expect([-1n, null, undefined, true, [], {}].filter((value) => !isLeft(Quantity.decode(value)))).toEqual(
      [],
    )
  })
})
