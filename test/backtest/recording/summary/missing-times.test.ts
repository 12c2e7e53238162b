import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MissingTimes } from '../../../../src/backtest/recording/summary/missing-times.js'

const topic = 'svc-0xab'

const listOf = (events: readonly (number | readonly [from: number, to: number])[], end?: number) => {
  const times = new MissingTimes()
  for (const event of events)
    times.onEvent(
      typeof event === 'number'
        ? { _tag: 'PastPrice', topic, price: 1, at: event }
        : { _tag: 'Gap', topic, from: event[0], to: event[1], cause: 'stale' },
    )
  return times.list(end)
}

describe('MissingTimes', () => {
  it('has a silence that is much longer than usual, and each gap, in order', () => {
    const second = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => (from + index) * 1_000)
    expect(listOf([...second(0, 100), ...second(300, 320), [320_000, 350_000], ...second(350, 400)])).toEqual(
      [
        { from: 99_000, to: 300_000, cause: 'silent' },
        { from: 320_000, to: 350_000, cause: 'stale' },
      ],
    )
  })

  it('has the silence up to the end of the data, if that is given', () => {
    const prices = Array.from({ length: 100 }, (_, index) => index * 1_000)
    expect(listOf(prices)).toEqual([])
    expect(listOf(prices, 158_000)).toEqual([])
    expect(listOf(prices, 500_000)).toEqual([{ from: 99_000, to: 500_000, cause: 'silent' }])
    expect(listOf([], 500_000)).toEqual([])
  })

  it('has no silence after a single price, whose usual distance is unknown', () => {
    const gap = [100_000, 101_000] as const
    expect(listOf([0, gap])).toEqual([{ from: 100_000, to: 101_000, cause: 'stale' }])
  })

  it('has no silence for candles of any length, and one where a candle is missing', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 86_400_000 }),
        fc.integer({ min: 0, max: 99 }),
        (length, hole) => {
          const candlesOf = (skipped: number) =>
            Array.from({ length: 100 }, (_, index) => index * length)
              .filter((_, index) => index < skipped || index >= skipped + 21)
              .flatMap((at) => [at, at + length - 1, at + length - 1, at + length - 1])
          expect(listOf(candlesOf(100))).toEqual([])
          const silent = { from: hole * length - 1, to: (hole + 21) * length, cause: 'silent' }
          expect(listOf(candlesOf(hole))).toEqual(hole > 0 && hole < 79 && length >= 3_000 ? [silent] : [])
        },
      ),
    )
  })
})
