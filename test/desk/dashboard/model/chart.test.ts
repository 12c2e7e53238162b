import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  chartLabel,
  ChartSamples,
  gapsOf,
  indexAt,
  priceScale,
  priceTicks,
  priceTickText,
  timeScale,
  timeTicks,
} from '../../../../src/desk/dashboard/model/chart.js'

describe('the samples of a chart', () => {
  it('hold the last price until now', () => {
    const samples = new ChartSamples(60_000, 500)
    samples.add(1000, 10)
    samples.add(2000, 11)
    expect(samples.data(5000)).toEqual({ times: [1000, 2000, 5000], prices: [10, 11, 11] })
  })

  it('keep the last price of each slot, with its time', () => {
    const samples = new ChartSamples(60_000, 500)
    for (const at of [1000, 1100, 1499, 1500]) samples.add(at, at)
    expect(samples.data(1500)).toEqual({ times: [1499, 1500, 1500], prices: [1499, 1500, 1500] })
  })

  it('are found by the time at which they hold, and never the end of the last one', () => {
    const data = { times: [1000, 2000, 3000, 9000], prices: [10, null, 12, 12] }
    const at = [-Infinity, 999, 1000, 1999, 2000, 3000, 8999, 9000, Infinity]
    expect(at.map((time) => indexAt(data, time))).toEqual([0, 0, 0, 0, 1, 2, 2, 2, 2])
    expect(indexAt({ times: [], prices: [] }, 0)).toBe(0)
  })

  it('have a gap from the time at which the price was no longer current', () => {
    const samples = new ChartSamples(60_000, 500)
    samples.add(1000, 10)
    samples.interrupt(3000)
    samples.interrupt(4000)
    samples.add(9000, 12)
    expect(samples.data(9000)).toEqual({
      times: [1000, 3000, 3001, 9000, 9000],
      prices: [10, 10, null, 12, 12],
    })
  })

  it('have no price at now during a gap', () => {
    const samples = new ChartSamples(60_000, 500)
    samples.interrupt(500)
    expect(samples.data(600)).toEqual({ times: [], prices: [] })
    samples.add(1000, 10)
    samples.interrupt(1100)
    expect(samples.data(5000).prices.at(-1)).toBeNull()
  })

  it('keep a gap within one slot', () => {
    const samples = new ChartSamples(60_000, 500)
    samples.add(1000, 10)
    samples.interrupt(1001)
    samples.add(1003, 11)
    expect(samples.data(1003).prices).toEqual([10, 10, null, 11, 11])
  })

  it('begin with the price that held at the start of the window', () => {
    const samples = new ChartSamples(10_000, 500)
    samples.add(0, 1)
    samples.add(4000, 2)
    samples.add(15_000, 3)
    expect(samples.data(15_000)).toEqual({ times: [4000, 15000, 15000], prices: [2, 3, 3] })
    expect(samples.range()).toEqual({ low: 2, high: 3 })
    expect(samples.firstPrice()).toBe(2)
  })

  it('have a gap between the end of the past and the first price', () => {
    const samples = new ChartSamples(60_000, 500)
    const past = { times: [1000, 2000, 3000], prices: [10, 11, 11] }
    samples.addPast(past)
    expect(samples.data(4000)).toEqual({ times: [1000, 2000, 3000, 4000], prices: [10, 11, null, null] })
    samples.add(5000, 12)
    expect(samples.data(5000)).toEqual({
      times: [1000, 2000, 3000, 5000, 5000],
      prices: [10, 11, null, 12, 12],
    })
    const live = new ChartSamples(60_000, 500)
    live.add(5000, 12)
    live.addPast(past)
    expect(live.data(5000)).toEqual(samples.data(5000))
  })

  it('have no gap if the past ends after the first price, and nothing of the past after it', () => {
    const samples = new ChartSamples(60_000, 500)
    samples.add(2500, 12)
    samples.interrupt(2600)
    samples.addPast({ times: [1000, 2000, 2500, 3000], prices: [10, null, 11, 11] })
    expect(samples.data(4000)).toEqual({
      times: [1000, 2000, 2500, 2600, 2601, 4000],
      prices: [10, null, 12, 12, null, null],
    })
    expect(samples.firstPrice()).toBe(10)
  })

  it('have none of a past that is before the window or empty', () => {
    const samples = new ChartSamples(10_000, 500)
    samples.add(20_000, 12)
    samples.addPast({ times: [1000, 2000], prices: [10, 10] })
    samples.addPast({ times: [], prices: [] })
    expect(samples.data(20_000)).toEqual({ times: [2000, 20_000, 20_000], prices: [null, 12, 12] })
  })

  it('have the lowest, the highest and the first price, if there is one', () => {
    const samples = new ChartSamples(10_000, 500)
    expect(samples.range()).toBeUndefined()
    expect(samples.firstPrice()).toBeUndefined()
    samples.add(0, 5)
    samples.add(1000, 7)
    samples.interrupt(1500)
    samples.add(2000, 3)
    expect(samples.range()).toEqual({ low: 3, high: 7 })
    expect(samples.firstPrice()).toBe(5)
    expect(samples.spanMs(2500)).toBe(2500)
  })

  it('are in order, bounded, and end with the state of the last event', () => {
    const step = fc.record({
      after: fc.integer({ min: -100, max: 3000 }),
      price: fc.option(fc.double({ min: 1, max: 10, noNaN: true })),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const samples = new ChartSamples(20_000, 500)
        let now = 0
        let last: number | null = null
        for (const { after, price } of steps) {
          now += after
          if (price === null) samples.interrupt(now)
          else samples.add(now, price)
          last = price
        }
        const { times, prices } = samples.data(now)
        expect([...times].sort((a, b) => a - b)).toEqual(times)
        expect(prices).toHaveLength(times.length)
        expect(prices.at(-1) ?? null).toBe(last)
        // One per slot and two more per gap, of which each is longer than a ms.
        expect(times.length).toBeLessThan(200)
      }),
    )
  })
})

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
  expect([priceTickText(1.5e12, 1e11), priceTickText(1.235e-12, 5e-15)]).toEqual(['1.5e12', '1.235e-12'])
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
