import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Curve, maxPoints, type Point } from '../../../src/backtest/results/curve.js'
import { caseCount } from '../../support/run/long.js'

const points = fc
  .array(
    fc.record({
      after: fc.constantFrom(0, 1, 1_000, 86_400_000),
      value: fc.integer({ min: -5, max: 1_000 }),
      isCurrent: fc.boolean(),
    }),
    { maxLength: 3 * maxPoints, size: 'max' },
  )
  .map((steps) => {
    let at = 0
    return steps.map(({ after, ...each }): Point => ({ ...each, at: (at += after) }))
  })

const curveOf = (all: readonly Point[]) => {
  const curve = new Curve()
  for (const each of all) curve.add(each)
  return curve.result()
}

describe('a curve', () => {
  it('has at most 2000 of its points, in order, with the first, the last, the lowest and the highest, current or not', () => {
    fc.assert(
      fc.property(points, (all) => {
        const kept = curveOf(all)
        expect(kept.length).toBeLessThanOrEqual(maxPoints)
        let index = -1
        for (const each of kept) expect((index = all.indexOf(each, index + 1))).toBeGreaterThanOrEqual(0)
        expect([kept[0], kept.at(-1)]).toEqual([all[0], all.at(-1)])
        for (const current of [true, false]) {
          const valuesOf = (of: readonly Point[]) =>
            of.filter(({ isCurrent }) => isCurrent === current).map(({ value }) => value)
          expect(Math.max(...valuesOf(kept))).toBe(Math.max(...valuesOf(all)))
          expect(Math.min(...valuesOf(kept))).toBe(Math.min(...valuesOf(all)))
        }
      }),
      { numRuns: caseCount(60) },
    )
  })

  it('has each point of a short run, and spreads those of a long one over its time', () => {
    const long = Array.from({ length: 100_000 }, (_, at): Point => ({ at, value: at % 7, isCurrent: true }))
    expect(curveOf(long.slice(0, 1_900))).toEqual(long.slice(0, 1_900))
    const times = curveOf(long).map(({ at }) => at)
    expect(times.length).toBeGreaterThan(maxPoints / 4)
    expect(Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? 0)))).toBeLessThan(600)
  })
})
