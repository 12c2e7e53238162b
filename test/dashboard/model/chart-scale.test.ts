import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  chartLabel,
  gapsOf,
  priceScale,
  priceTicks,
  priceTickText,
  timeScale,
  timeTicks,
} from '../../../src/dashboard/model/chart-scale.js'

test('timeScale ends now, and is as wide as the samples: 1 s to 5 minutes', () => {
  const now = 1_000_000
  expect([0, 1500, 60_001, 400_000].map((span) => now - timeScale(now, span).from)).toEqual([
    1000, 1500, 60_001, 300_000,
  ])
  expect(timeScale(now, 0).to).toBe(now)
})

test('timeTicks are multiples of a step of the clock', () => {
  expect(timeTicks({ from: 1000, to: 61_000 }, 4)).toEqual({
    step: 15_000,
    values: [15_000, 30_000, 45_000, 60_000],
  })
})

describe('the scale of prices', () => {
  it('has a margin, and a height of at least 0.02 % of the price', () => {
    expect(priceScale({ low: 100, high: 200 })).toEqual({ from: 90, to: 210 })
    const { from, to } = priceScale({ low: 1000, high: 1000 })
    expect(to - from).toBeCloseTo(0.24)
  })

  it('contains all prices, and a limited number of ticks with different texts, for any prices', () => {
    const price = fc.double({ min: 1e-12, max: 1e15, noNaN: true })
    fc.assert(
      fc.property(price, price, fc.integer({ min: 2, max: 12 }), (a, b, maxCount) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)]
        const scale = priceScale({ low, high })
        expect(scale.from).toBeLessThan(low)
        expect(scale.to).toBeGreaterThan(high)
        const { step, values } = priceTicks(scale, maxCount)
        expect(values.length).toBeLessThanOrEqual(maxCount + 1)
        for (const value of values) expect(priceTickText(value, step).length).toBeLessThan(16)
      }),
    )
  })
})

test('priceTickText separates groups of digits by a narrow space', () => {
  expect(priceTickText(1_061_700, 100)).toBe('1\u202f061\u202f700')
})

test('priceTickText has the decimals of the step', () => {
  expect([priceTickText(2500, 100), priceTickText(2500.5, 0.5), priceTickText(0.00012, 0.00002)]).toEqual([
    '2\u202f500',
    '2\u202f500.5',
    '0.00012',
  ])
  expect(priceTickText(1.5e12, 1e11)).toBe('1.50e+12')
})

test('gapsOf gives the times without a price, also one that lasts', () => {
  expect(gapsOf([1, 2, 5, 9, 12], [10, null, 11, null, null])).toEqual([
    { from: 2, to: 5 },
    { from: 9, to: 12 },
  ])
})

test('chartLabel names the lowest and the highest price', () => {
  expect(chartLabel(undefined)).toBe('Chart without prices')
  expect(chartLabel({ low: 2500, high: 2600.5 })).toBe('Chart: lowest 2500.0000, highest 2600.5000 USD')
})
