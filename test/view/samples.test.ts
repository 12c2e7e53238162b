import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { ChartSamples, PriceSamples, timesOf } from '../../src/view/samples.js'

describe('the samples of a token', () => {
  it('hold the last price until now', () => {
    const samples = new ChartSamples(60_000, 500)
    samples.add(1000, 10)
    samples.add(2000, 11)
    expect(samples.data(5000)).toEqual({ times: [1000, 2000, 5000], values: [10, 11, 11] })
  })

  it('have a gap from the time at which the price was no longer current', () => {
    const samples = new ChartSamples(60_000, 500)
    samples.add(1000, 10)
    samples.interrupt(3000)
    samples.interrupt(4000)
    samples.add(9000, 12)
    expect(samples.data(9000)).toEqual({
      times: [1000, 3000, 3001, 9000, 9000],
      values: [10, 10, null, 12, 12],
    })
  })

  it('have no price at now during a gap', () => {
    const samples = new ChartSamples(60_000, 500)
    samples.interrupt(500)
    expect(samples.data(600)).toEqual({ times: [], values: [] })
    samples.add(1000, 10)
    samples.interrupt(1100)
    expect(samples.data(5000).values.at(-1)).toBeNull()
  })

  it('keep a gap within one slot', () => {
    const samples = new ChartSamples(60_000, 500)
    samples.add(1000, 10)
    samples.interrupt(1001)
    samples.add(1003, 11)
    expect(samples.data(1003).values).toEqual([10, 10, null, 11, 11])
  })

  it('begin with the price that held at the start of the window', () => {
    const samples = new ChartSamples(10_000, 500)
    samples.add(0, 1)
    samples.add(4000, 2)
    samples.add(15_000, 3)
    expect(samples.data(15_000)).toEqual({ times: [4000, 15000, 15000], values: [2, 3, 3] })
  })

  it('have a gap between the end of the past and the first price', () => {
    const samples = new ChartSamples(60_000, 500)
    const past = { times: [1000, 2000, 3000], values: [10, 11, 11] }
    samples.fill(past)
    expect(samples.data(4000)).toEqual({ times: [1000, 2000, 3000, 4000], values: [10, 11, null, null] })
    samples.add(5001, 12)
    expect(samples.data(5001)).toEqual({
      times: [1000, 2000, 3000, 5001, 5001],
      values: [10, 11, null, 12, 12],
    })
    const live = new ChartSamples(60_000, 500)
    live.add(5001, 12)
    live.fill(past)
    expect(live.data(5001)).toEqual(samples.data(5001))
  })

  it('are those of the past in its time, their own ones before and after it, and the last own price', () => {
    const samples = new ChartSamples(60_000, 500)
    samples.add(1000, 9)
    samples.add(2500, 12)
    samples.interrupt(2600)
    samples.add(9000, 13)
    samples.fill({ times: [2000, 3000, 9500], values: [10, 11, 11] })
    expect(samples.data(9500)).toEqual({
      times: [1000, 2000, 3000, 9500, 9500],
      values: [9, 10, 11, 13, 13],
    })
    samples.add(10_000, 14)
    expect(samples.data(10_000).values).toEqual([9, 10, 11, 13, 14, 14])
  })

  it('have the last price of a slot in which a past ended', () => {
    const samples = new ChartSamples(60_000, 500)
    samples.add(1010, 10)
    samples.fill({ times: [1010, 1020, 1030], values: [10, 10, 10] })
    for (const price of [20, 13]) {
      samples.add(1040, price)
      const { times, values } = samples.data(1050)
      expect([times.slice(-2), values.slice(-2)]).toEqual([
        [1040, 1050],
        [price, price],
      ])
    }
  })

  it('end at the last own price, whatever past is added before or after it', () => {
    const step = fc.record({
      ms: fc.integer({ min: 0, max: 700 }),
      price: fc.integer({ min: 1, max: 9 }),
      past: fc.option(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 })),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const samples = new ChartSamples(60_000, 500)
        let now = 10_000
        for (const { ms, price, past } of steps) {
          now += ms
          samples.add(now, price)
          const end = now
          if (past !== null)
            samples.fill({ times: past.map((_, index) => end - past.length + index + 1), values: past })
          expect(samples.data(now).values.at(-1)).toBe(price)
        }
      }),
    )
  })

  it('have no gap if the next price follows the past within 2 s', () => {
    const past = { times: [1000, 3000], values: [10, 10] }
    const after = (next: number) => {
      const before = new ChartSamples(60_000, 500)
      before.add(next, 12)
      before.fill(past)
      const later = new ChartSamples(60_000, 500)
      later.fill(past)
      expect(later.data(3000).values.at(-1)).toBeNull()
      later.add(next, 12)
      expect(later.data(next)).toEqual(before.data(next))
      return before.data(next).values
    }
    expect(after(5000)).toEqual([10, 10, 12, 12])
    expect(after(5001)).toEqual([10, null, 12, 12])
  })

  it('have none of a past that is before the window or empty', () => {
    const samples = new ChartSamples(10_000, 500)
    samples.add(20_000, 12)
    samples.fill({ times: [1000, 2000], values: [10, 10] })
    samples.fill({ times: [], values: [] })
    expect(samples.data(20_000)).toEqual({ times: [2000, 20_000, 20_000], values: [null, 12, 12] })
  })

  it('are the first, the lowest, the highest and the last of each slot', () => {
    const values = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(fc.array(values, { minLength: 1, maxLength: 5 }), (slots) => {
        const samples = new ChartSamples(1_000_000, 1000)
        slots.forEach((prices, slot) => {
          prices.forEach((price, index) => samples.add(slot * 1000 + index, price))
        })
        const { times, values: prices } = samples.data(0)
        slots.forEach((all, slot) => {
          const kept = prices.filter(
            (_, index) => index < times.length - 1 && Math.floor((times[index] ?? 0) / 1000) === slot,
          )
          expect(kept.length).toBeLessThanOrEqual(4)
          expect([kept[0], kept.at(-1)]).toEqual([all[0], all.at(-1)])
          expect([Math.min(...kept.map(Number)), Math.max(...kept.map(Number))]).toEqual([
            Math.min(...all),
            Math.max(...all),
          ])
        })
      }),
    )
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
        const { times, values: prices } = samples.data(now)
        expect([...times].sort((a, b) => a - b)).toEqual(times)
        expect(prices).toHaveLength(times.length)
        expect(prices.at(-1) ?? null).toBe(last)
        // Four per slot and two more per gap, of which each is longer than a ms.
        expect(times.length).toBeLessThan(320)
      }),
    )
  })
})

test('a token has half seconds for 5 minutes, and minutes for a day', () => {
  const samples = new PriceSamples()
  for (let at = 0; at <= 3_600_000; at += 100) samples.add(at, at)
  expect(samples.data(3_600_000, 300_000).times.length).toBeLessThan(1210)
  const { times, values: prices } = samples.data(3_600_000, 3_600_000)
  expect([times[0], times.length < 250, prices.at(-1)]).toEqual([0, true, 3_600_000])
})

test('timesOf begins with the first price of the range, and is at least a minute', () => {
  const now = 100_000_000
  const from = (first: number, rangeMs: number) =>
    now - timesOf({ times: [first], values: [1] }, now, rangeMs).from
  expect(from(now - 1000, 60_000)).toBe(60_000)
  expect(from(now - 1000, 86_400_000)).toBe(60_000)
  expect(from(now - 90_000, 300_000)).toBe(90_000)
  expect(from(now - 900_000, 300_000)).toBe(300_000)
  expect(from(now - 7_000_000, 86_400_000)).toBe(7_000_000)
  expect(from(0, 86_400_000)).toBe(86_400_000)
})
