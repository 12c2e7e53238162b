import fc from 'fast-check'
import type { Equity } from 'svc-streams/paper'
import { describe, expect, it } from 'vitest'
import { Curve, maxPoints } from '../../../src/backtest/results/curve.js'
import { caseCount } from '../../support/run/long.js'

const values = fc
  .array(
    fc.record({
      after: fc.constantFrom(0, 1, 1_000, 86_400_000),
      equityUsd: fc.integer({ min: -5, max: 1_000 }),
      prices: fc.dictionary(fc.constant('X'), fc.integer({ min: 1, max: 1_000 }), { minKeys: 1 }),
      isCurrent: fc.boolean(),
    }),
    { maxLength: 3 * maxPoints, size: 'max' },
  )
  .map((steps) => {
    let at = 0
    return steps.map(({ after, ...each }): Equity => ({ _tag: 'Equity', ...each, at: (at += after) }))
  })

const curveOf = (all: readonly Equity[]) => {
  const curve = new Curve()
  for (const each of all) curve.add(each)
  return curve.result()
}

describe('the curve of a run', () => {
  it('has at most 2000 of its values, in order, with the first, the last, the lowest and the highest, also of prices', () => {
    fc.assert(
      fc.property(values, (all) => {
        const kept = curveOf(all)
        expect(kept.length).toBeLessThanOrEqual(maxPoints)
        let index = -1
        for (const each of kept) expect((index = all.indexOf(each, index + 1))).toBeGreaterThanOrEqual(0)
        expect([kept[0], kept.at(-1)]).toEqual([all[0], all.at(-1)])
        const current = (of: readonly Equity[], amountOf: (value: Equity) => number | undefined) =>
          of.filter((each) => each.isCurrent).map((each) => amountOf(each) ?? NaN)
        for (const amountOf of [(each: Equity) => each.equityUsd, (each: Equity) => each.prices['X']]) {
          expect(Math.max(...current(kept, amountOf))).toBe(Math.max(...current(all, amountOf)))
          expect(Math.min(...current(kept, amountOf))).toBe(Math.min(...current(all, amountOf)))
        }
      }),
      { numRuns: caseCount(60) },
    )
  })

  it('has the lowest price of a token that comes later, and at most 2000 values of very many tokens', () => {
    const value = (at: number, prices: Equity['prices']): Equity => ({
      ...{ _tag: 'Equity', at, equityUsd: at % 3, isCurrent: true, prices },
    })
    const late = Array.from({ length: 5_000 }, (_, at) =>
      value(at, at < 3 ? { X: 1 } : { X: 1, Y: at === 5 ? 2 : 3 }),
    )
    expect(Math.min(...curveOf(late).map(({ prices }) => prices['Y'] ?? Infinity))).toBe(2)
    // Each value has the lowest or the highest price of a token.
    const prices = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`T${index}`, 2]))
    const many = Array.from({ length: 2_000 }, (_, at) =>
      value(at, { ...prices, [`T${at % 1_000}`]: at < 1_000 ? 1 : 3 }),
    )
    expect(curveOf(many).length).toBeLessThanOrEqual(maxPoints)
  })

  it('has each value of a short run, and spreads those of a long one over its time', () => {
    const long = Array.from({ length: 100_000 }, (_, at): Equity => ({
      _tag: 'Equity',
      at,
      equityUsd: at % 7,
      isCurrent: true,
      prices: {},
    }))
    expect(curveOf(long.slice(0, 1_900))).toEqual(long.slice(0, 1_900))
    const times = curveOf(long).map(({ at }) => at)
    expect(times.length).toBeGreaterThan(maxPoints / 4)
    expect(Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? 0)))).toBeLessThan(600)
  })
})
