import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Timeline } from '../../../../src/backtest/recording/codec/timeline.js'

const day = 24 * 3_600_000
const year = 365 * day

/** The times of the replay for these rows, up to the first one that is too late, which is undefined. */
const timesOf = (recorded: readonly number[]): readonly (number | undefined)[] => {
  const timeline = new Timeline()
  timeline.next(recorded[0]!, true)
  const times: (number | undefined)[] = []
  for (const at of recorded) {
    const next = timeline.next(at, false)
    expect(next?.skipped ?? 0).toBe(0)
    times.push(next?.time)
    if (next === undefined) break
  }
  return times
}

const start = 1_700_000_000_000
const after = (...distances: readonly number[]): readonly number[] => distances.map((ms) => start + ms)

const maxTime = 8.64e15

/** Times near each other, and any others. */
const recordedTime = fc.oneof(
  fc.integer({ min: start, max: start + 1000 }),
  fc.integer({ min: start - 2 * year, max: start + 2 * year }),
  fc.double({ min: -maxTime, max: maxTime, noNaN: true }),
  fc.constantFrom(0, -maxTime, maxTime, start + year, start + year + 1, 0.5),
)

describe('Timeline', () => {
  it.each<[string, readonly number[], readonly (number | undefined)[]]>([
    ['keeps times in order', after(0, 5, 5, 9.5), after(0, 5, 5, 9.5)],
    ['ignores one time that is too early', after(0, 5, -55 * year, 9), after(0, 5, 5, 9)],
    [
      'ignores a few times that are too early',
      after(0, 5, -55 * year, 4 - 55 * year, 9),
      after(0, 5, 5, 9, 13),
    ],
    [
      'keeps the distances after a time that is too late',
      after(0, year, 5, 9),
      after(0, year, year, year + 4),
    ],
    [
      'counts from the latest line after another time that is too late',
      after(0, year, 5, year + 1, 9),
      after(0, year, year, year + 1, year + 1),
    ],
    [
      'keeps the distances after the clock was set back',
      after(0, 10, 3, 5, 8, 12),
      after(0, 10, 10, 12, 15, 17),
    ],
    ['accepts a distance of 365 days', after(0, year), after(0, year)],
    ['rejects a distance of more than 365 days', after(0, year + 1), [start, undefined]],
    ['rejects a time after 250 years', after(0, 5, 250 * year), [...after(0, 5), undefined]],
    [
      'stays within the times of a Date',
      [maxTime - 1, maxTime - 9, maxTime - 5, maxTime],
      [maxTime - 1, maxTime - 1, maxTime, maxTime],
    ],
    ['starts at the first time, whatever it is', [-maxTime, -maxTime + 1], [-maxTime, -maxTime + 1]],
  ])('%s', (_, recorded, expected) => {
    expect(timesOf(recorded)).toEqual(expected)
  })

  it('skips a distance of more than 365 days from and to a header', () => {
    const timeline = new Timeline()
    const lines: readonly (readonly [number, boolean])[] = [
      [0, true],
      [start, false],
      [start + 5, false],
      [start + 2 * year, true],
      [start + 3 * year, false],
      [start + 5 * year, false],
    ]
    expect(lines.map(([at, isHeader]) => timeline.next(at, isHeader))).toEqual([
      { time: 0, skipped: 0 },
      { time: start, skipped: start },
      { time: start + 5, skipped: 0 },
      { time: start + 2 * year, skipped: 2 * year - 5 },
      { time: start + 3 * year, skipped: 0 },
      undefined,
    ])
  })

  it('never goes back, and advances by at most 365 days a line', () => {
    fc.assert(
      fc.property(fc.array(recordedTime, { minLength: 1, maxLength: 30 }), (recorded) => {
        const times = timesOf(recorded)
        times.forEach((time, index) => {
          const before = times[index - 1]
          if (before === undefined) return
          const [at, previous] = [recorded[index]!, recorded[index - 1]!]
          const latest = Math.max(...recorded.slice(0, index))
          if (time === undefined) {
            expect(at - previous).toBeGreaterThan(year)
          } else {
            expect(time - before).toBeGreaterThanOrEqual(0)
            // The sum is rounded.
            expect(time - before).toBeLessThanOrEqual(year + 2)
            if (at <= previous) expect(time - before).toBe(0)
            if (at > latest) expect(time).toBeGreaterThanOrEqual(at - 2)
          }
        })
      }),
      { numRuns: 2000 },
    )
  })

  it('keeps the distances of the lines after one line that is earlier or later than all lines', () => {
    const distances = fc.array(fc.nat(1000), { minLength: 2, maxLength: 10 })
    fc.assert(
      fc.property(distances, fc.nat(), recordedTime, (ms, position, wrong) => {
        const recorded = ms.map((_, n) => start + ms.slice(1, n + 1).reduce((sum, each) => sum + each, 0))
        fc.pre(wrong < start || wrong > recorded.at(-1)!)
        const index = 1 + (position % recorded.length)
        const times = timesOf([...recorded.slice(0, index), wrong, ...recorded.slice(index)])
        const isTooLate = wrong > recorded[index - 1]! + year
        expect(times.length).toBe(isTooLate ? index + 1 : recorded.length + 1)
        const distancesOf = (all: readonly (number | undefined)[]) =>
          all.slice(1).map((time, n) => time! - all[n]!)
        expect(distancesOf(times.slice(0, index))).toEqual(distancesOf(recorded.slice(0, index)))
        if (isTooLate) return
        const later = distancesOf(times.slice(index + 1))
        // The sum is rounded.
        distancesOf(recorded.slice(index)).forEach((each, n) => expect(later[n]).toBeCloseTo(each, 2))
      }),
      { numRuns: 2000 },
    )
  })
})
