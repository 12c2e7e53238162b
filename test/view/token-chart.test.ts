import { describe, expect, it, test } from 'vitest'
import { chartLabel, chartOf, linePath } from '../../src/view/token-chart.js'
import { candles } from '../../src/view/price-candles.js'
import { PriceSamples } from '../../src/view/samples.js'

describe('a small chart', () => {
  it('is a path with a gap', () => {
    const data = { times: [0, 25, 50, 100], values: [1, null, 3, 2] }
    expect(linePath(data, { from: 0, to: 100 }, { from: 1, to: 3 })).toBe('M0,20h0M50,0L100,10')
  })

  it('has at most 61 points of a path, whatever their number', () => {
    const times = Array.from({ length: 5000 }, (_, index) => index)
    const path = linePath({ times, values: times }, { from: 0, to: 4999 }, { from: 0, to: 4999 })
    expect(path.match(/[ML]/g)?.length).toBeLessThanOrEqual(61)
    expect(path.endsWith('L100,0')).toBe(true)
  })
})

describe('the chart of a token', () => {
  const samples = new PriceSamples()
  samples.add(1000, 10)
  const fill = {
    id: 1,
    at: 1000,
    tone: 'neutral',
    text: 'buy 1',
    symbols: [],
    mark: { side: 'buy', price: 9 },
  } as const
  const token = { samples, threshold: { below: 8 }, fills: [fill] }

  it('has the last price until now, the threshold and the fills', () => {
    expect(chartOf(token, 61_000, 60_000, undefined)).toMatchObject({
      data: { times: [1000, 61_000], values: [10, 10] },
      times: { from: 1000, to: 61_000 },
      kind: 'steps',
      isLive: true,
      levels: [8],
      marks: [{ at: 1000, value: 9, side: 'buy' }],
    })
  })

  it('is a part of the past without a current price, and has candles for more than 5 minutes', () => {
    const zoom = { from: 1000, to: 30_000 }
    expect(chartOf(token, 61_000, 60_000, zoom)).toMatchObject({ times: zoom, kind: 'steps', isLive: false })
    expect(chartOf(token, 61_000, 3_600_000, undefined).shapes).toBeUndefined()
    expect(chartOf(token, 400_000, 3_600_000, undefined).shapes).toBe(candles)
  })
})

test('chartLabel names the lowest and the highest price', () => {
  expect(chartLabel(undefined)).toBe('Chart without prices')
  expect(chartLabel({ from: 2500, to: 2600.5 })).toBe('Chart: lowest 2,500.0000, highest 2,600.5000 USD')
})
