import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  candlesOf,
  candleStep,
  chartLabel,
  gapsOf,
  indexAt,
  linePath,
  partOf,
  priceScale,
  rangeOf,
} from '../../src/view/chart.js'

describe('the samples of a chart', () => {
  it('are found by the time at which they hold, and never the end of the last one', () => {
    const data = { times: [1000, 2000, 3000, 9000], prices: [10, null, 12, 12] }
    const at = [-Infinity, 999, 1000, 1999, 2000, 3000, 8999, 9000, Infinity]
    expect(at.map((time) => indexAt(data, time))).toEqual([0, 0, 0, 0, 1, 2, 2, 2, 2])
    expect(indexAt({ times: [] }, 0)).toBe(0)
  })

  it('are those of a part of the time, from the one that holds at its start to its end', () => {
    const data = { times: [1000, 2000, 3000, 9000], prices: [10, null, 12, 12] }
    expect(partOf(data, { from: 1500, to: 9000 })).toEqual(data)
    expect(partOf(data, { from: 2500, to: 4000 })).toEqual({
      times: [2000, 3000, 4000],
      prices: [null, 12, 12],
    })
    expect(partOf(data, { from: 0, to: 500 })).toEqual({ times: [], prices: [] })
    expect(partOf({ times: [], prices: [] }, { from: 0, to: 500 })).toEqual({ times: [], prices: [] })
  })

  it('have a lowest and a highest price, if there is a price', () => {
    expect(rangeOf([null])).toBeUndefined()
    expect(rangeOf([5, null, 7, 3])).toEqual({ low: 3, high: 7 })
  })

  it('are a path with a gap', () => {
    const data = { times: [0, 25, 50, 100], prices: [1, null, 3, 2] }
    expect(linePath(data, { from: 0, to: 100 }, { low: 1, high: 3 })).toBe('M0,20h0M50,0L100,10')
  })

  it('are at most 61 points of a path, whatever their number', () => {
    const times = Array.from({ length: 5000 }, (_, index) => index)
    const path = linePath({ times, prices: times }, { from: 0, to: 4999 }, { low: 0, high: 4999 })
    expect(path.match(/[ML]/g)?.length).toBeLessThanOrEqual(61)
    expect(path.endsWith('L100,0')).toBe(true)
  })
})

describe('candles', () => {
  it('open with the price that held, and contain each price', () => {
    const data = { times: [30_000, 61_000, 70_000, 80_000, 125_000], prices: [10, 12, 8, 9, 9] }
    expect(candlesOf(data, 60_000)).toEqual([
      { from: 0, open: 10, high: 10, low: 10, close: 10 },
      { from: 60_000, open: 10, high: 12, low: 8, close: 9 },
      { from: 120_000, open: 9, high: 9, low: 9, close: 9 },
    ])
  })

  it('begin anew after a gap', () => {
    const data = { times: [0, 10_000, 65_000, 70_000], prices: [10, null, 20, 21] }
    expect(candlesOf(data, 60_000)).toEqual([
      { from: 0, open: 10, high: 10, low: 10, close: 10 },
      { from: 60_000, open: 20, high: 21, low: 20, close: 21 },
    ])
  })

  it('are of a minute, or of as much that there are not too many', () => {
    expect(candleStep({ from: 0, to: 3_600_000 }, 60)).toBe(60_000)
    expect(candleStep({ from: 0, to: 3_600_000 }, 20)).toBe(300_000)
    expect(candleStep({ from: 0, to: 86_400_000 }, 50)).toBe(1_800_000)
  })
})

describe('the scale of prices', () => {
  it('has a margin, and a height of at least 0.02 % of the price', () => {
    expect(priceScale({ low: 100, high: 200 })).toEqual({ from: 90, to: 210 })
    const { from, to } = priceScale({ low: 1000, high: 1000 })
    expect(to - from).toBeCloseTo(0.24)
  })

  it('contains all prices', () => {
    const price = fc.double({ min: 1e-12, max: 1e15, noNaN: true })
    fc.assert(
      fc.property(price, price, (a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)]
        const { from, to } = priceScale({ low, high })
        expect(from).toBeLessThan(low)
        expect(to).toBeGreaterThan(high)
      }),
    )
  })
})

test('gapsOf gives the times without a price, also one that lasts', () => {
  expect(gapsOf({ times: [1, 2, 5, 9, 12], prices: [10, null, 11, null, null] })).toEqual([
    { from: 2, to: 5 },
    { from: 9, to: 12 },
  ])
})

test('chartLabel names the lowest and the highest price', () => {
  expect(chartLabel(undefined)).toBe('Chart without prices')
  expect(chartLabel({ low: 2500, high: 2600.5 })).toBe('Chart: lowest 2,500.0000, highest 2,600.5000 USD')
})
