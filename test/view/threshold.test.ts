import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  noThresholds,
  pageTitle,
  parseThresholds,
  reachedSide,
  readPrice,
  thresholdOf,
  thresholdText,
  withThreshold,
  type ThresholdSide,
} from '../../src/view/threshold.js'
import { shortPrice } from '../../src/view/texts.js'

const usd = fc.double({ min: 1e-9, max: 1e9, noNaN: true })

/** Also prices that the page prints in scientific notation. */
const anyUsd = fc.double({ min: 1e-300, max: 1e300, noNaN: true })

/** What is wrong with a text; it then has no value. */
const problemOf = (text: string): string | undefined => {
  const { value, problem } = readPrice(text)
  expect(value === undefined).toBe(problem !== undefined)
  return problem
}

/** The sides that prices reach one after the other. */
const sidesOf = (prices: readonly number[], above?: number, below?: number) => {
  let side: ThresholdSide | undefined
  return prices.map((price) => (side = reachedSide({ above, below }, price, side)))
}

describe('readPrice', () => {
  it.each([
    ['2700', 2700],
    [' 61 726.0050 ', 61726.005],
    ['61\u202f726.0050', 61726.005],
    ['61,726.0050', 61726.005],
    ['1,061,726.5', 1061726.5],
    ['2700,5', 2700.5],
    ['0,125', 0.125],
    ['1234,125', 1234.125],
    ['8.9e-6', 0.0000089],
    ['1.2346E9', 1_234_600_000],
    ['1.234', 1.234],
    ['.5', 0.5],
    [',5', 0.5],
  ])('reads %j', (text, value) => {
    expect(readPrice(text)).toEqual({ value })
  })

  it('has no value for an empty text', () => {
    expect(readPrice('')).toEqual({})
    expect(readPrice(' ')).toEqual({})
  })

  it('does not guess whether a comma separates thousands or decimals', () => {
    expect(problemOf('2,700')).toBe('2,700 is ambiguous: write 2700 or 2.7.')
    expect(problemOf(' 61, 000')).toBe('61,000 is ambiguous: write 61000 or 61.')
    expect(problemOf('2,700e3')).toBe('2,700e3 is ambiguous: write 2700000 or 2700.')
  })

  it.each([
    ...['abc', '2700 USD', '2.700,5', '1,000,000', '1.000.000', '+2,700', '2,700,', '2,700.'],
    ...['.', ',', 'e5', '2,700EUR', '2,700e999', '0x10', '0b1', '1e999', 'Infinity', 'NaN'],
  ])('shows how to write a number instead of %j', (text) => {
    expect(problemOf(text)).toBe(`${text.replace(' ', '')} cannot be read: write a number such as 2700.5.`)
  })

  it.each(['0', '-5', '-2700,5', '0.000', '1e-999'])('requires more than 0, which %j is not', (text) => {
    expect(problemOf(text)).toBe('The price must be above 0.')
  })

  it('reads each price as JavaScript writes it', () => {
    fc.assert(
      fc.property(usd, (price) => {
        expect(readPrice(String(price))).toEqual({ value: price })
      }),
    )
  })

  it('reads each price as the page prints it, with any space between its groups', () => {
    const space = fc.constantFrom('', ' ', '\u00a0', '\u2009', '\u202f')
    fc.assert(
      fc.property(anyUsd, space, (price, separator) => {
        const { whole, fraction } = shortPrice(price)
        const value = Number(whole.join('') + fraction)
        expect(readPrice(` ${whole.join(separator)}${fraction}\n`)).toEqual({ value })
      }),
    )
  })

  it('has no value for a number whose separators have two meanings', () => {
    const first = fc.integer({ min: 1, max: 999 }).map(String)
    const group = fc.integer({ min: 0, max: 999 }).map((number) => String(number).padStart(3, '0'))
    const rest = fc.array(fc.tuple(fc.constantFrom(',', '.'), group), { minLength: 1, maxLength: 4 })
    const exponent = fc.constantFrom('', 'e1', 'E-2')
    fc.assert(
      fc.property(first, rest, exponent, (whole, groups, end) => {
        // A single point is always a decimal sign.
        fc.pre(groups.length > 1 || groups[0]?.[0] === ',')
        // Commas before a point are those of the page.
        fc.pre(end !== '' || !/^,+\.$/.test(groups.map(([separator]) => separator).join('')))
        expect(problemOf(whole + groups.flat().join('') + end)).toBeDefined()
      }),
    )
  })
})

describe('a threshold', () => {
  it('is reached by a price at it or beyond', () => {
    expect(sidesOf([99, 100, 101, 90], 100)).toEqual([undefined, 'above', 'above', undefined])
    expect(sidesOf([51, 50, 49, 60], undefined, 50)).toEqual([undefined, 'below', 'below', undefined])
    expect(sidesOf([40, 120, 75], 100, 50)).toEqual(['below', 'above', undefined])
  })

  it('stays reached until the price has returned by 0.05 %', () => {
    expect(sidesOf([100, 99.96, 99.94, 99.96, 100], 100)).toEqual([
      'above',
      'above',
      undefined,
      undefined,
      'above',
    ])
    expect(sidesOf([100, 100.04, 100.06], undefined, 100)).toEqual(['below', 'below', undefined])
  })

  it('is reached by exactly the prices beyond it, if none was reached before', () => {
    fc.assert(
      fc.property(usd, usd, usd, (a, b, price) => {
        const [below, above] = [Math.min(a, b), Math.max(a, b)]
        fc.pre(below < above)
        const expected = price >= above ? 'above' : price <= below ? 'below' : undefined
        expect(reachedSide({ above, below }, price, undefined)).toBe(expected)
      }),
    )
  })

  it('has prices above 0, the lower one below the upper one', () => {
    expect(thresholdOf(2, 1)).toEqual({ above: 2, below: 1 })
    expect(thresholdOf(2, undefined)).toEqual({ above: 2, below: undefined })
    for (const [above, below] of [
      [1, 1],
      [1, 2],
      [0, undefined],
      [undefined, -1],
      [NaN, 1],
      [Infinity, 1],
      ['1', undefined],
      [undefined, undefined],
    ]) {
      expect(thresholdOf(above, below)).toBeUndefined()
    }
  })
})

describe('the stored thresholds', () => {
  it('are read as they were written', () => {
    const threshold = fc.oneof(
      fc.record({ above: usd }),
      fc.record({ below: usd }),
      fc.record({ above: usd.map((price) => price + 2e9), below: usd }),
    )
    const settings = fc.record({
      hasNotification: fc.boolean(),
      thresholds: fc.dictionary(fc.constantFrom('0x1', '0x2', '0x3'), threshold, { noNullPrototype: true }),
    })
    fc.assert(
      fc.property(settings, (each) => {
        expect(parseThresholds(JSON.stringify(each))).toEqual(each)
      }),
    )
  })

  it('are none for any other text, and lack only the entries that are not valid', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseThresholds(text)).toEqual(noThresholds)
      }),
    )
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(() => parseThresholds(text)).not.toThrow()
      }),
    )
    expect(parseThresholds(null)).toEqual(noThresholds)
    const text = JSON.stringify({
      hasNotification: 1,
      thresholds: { '0x1': { above: 1, below: 2 }, '0x2': { above: 3 } },
    })
    expect(parseThresholds(text)).toEqual({ ...noThresholds, thresholds: { '0x2': { above: 3 } } })
  })

  it('change for one token', () => {
    const both = withThreshold(withThreshold(noThresholds, '0x1', { above: 1 }), '0x2', { below: 2 })
    expect(withThreshold(both, '0x1', undefined).thresholds).toEqual({ '0x2': { below: 2 } })
    expect(withThreshold(both, '0x2', { above: 3 }).thresholds).toEqual({
      '0x1': { above: 1 },
      '0x2': { above: 3 },
    })
  })
})

describe('pageTitle', () => {
  const reached = { symbol: 'ETH', side: 'above', threshold: 2700 } as const

  it('names one threshold that is reached, and counts several', () => {
    expect(pageTitle(undefined, [])).toBe('Live prices · svc-streams')
    expect(pageTitle(undefined, [reached])).toBe('ETH above 2700 USD · Live prices · svc-streams')
    expect(pageTitle(undefined, [reached, reached])).toBe('2 thresholds reached · Live prices · svc-streams')
  })

  it('begins with what is not current', () => {
    expect(pageTitle('service lost', [reached])).toBe(
      'service lost · ETH above 2700 USD · Live prices · svc-streams',
    )
  })
})

test('thresholdText has both sides', () => {
  expect(thresholdText({})).toBe('')
  expect(thresholdText({ above: 2, below: 1 })).toBe('≥\u00a02 ≤\u00a01')
})
