import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  pageTitle,
  parseThresholds,
  reachedSide,
  thresholdOf,
  thresholdText,
  type ThresholdSide,
} from '../../src/view/threshold.js'

const usd = fc.double({ min: 1e-9, max: 1e9, noNaN: true })

/** The sides that prices reach one after the other. */
const sidesOf = (prices: readonly number[], above?: number, below?: number) => {
  let side: ThresholdSide | undefined
  return prices.map((price) => (side = reachedSide({ above, below }, price, side)))
}

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
    const thresholds = fc.dictionary(fc.constantFrom('0x1', '0x2', '0x3'), threshold, {
      noNullPrototype: true,
    })
    fc.assert(
      fc.property(thresholds, (each) => {
        expect(parseThresholds(JSON.stringify(each))).toEqual(each)
      }),
    )
  })

  it('are none for any other text, and lack only the entries that are not valid', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseThresholds(text)).toEqual({})
      }),
    )
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(() => parseThresholds(text)).not.toThrow()
      }),
    )
    expect(parseThresholds(null)).toEqual({})
    const text = JSON.stringify({ '0x1': { above: 1, below: 2 }, '0x2': { above: 3 }, '0x3': null })
    expect(parseThresholds(text)).toEqual({ '0x2': { above: 3 } })
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
