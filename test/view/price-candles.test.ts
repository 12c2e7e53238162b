import { describe, expect, it } from 'vitest'
import { candlesOf, candleStep } from '../../src/view/price-candles.js'

describe('candles', () => {
  it('open with the price that held, and contain each price', () => {
    const data = { times: [30_000, 61_000, 70_000, 80_000, 125_000], values: [10, 12, 8, 9, 9] }
    expect(candlesOf(data, 60_000)).toEqual([
      { from: 0, open: 10, high: 10, low: 10, close: 10 },
      { from: 60_000, open: 10, high: 12, low: 8, close: 9 },
      { from: 120_000, open: 9, high: 9, low: 9, close: 9 },
    ])
  })

  it('begin anew after a gap', () => {
    const data = { times: [0, 10_000, 65_000, 70_000], values: [10, null, 20, 21] }
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
