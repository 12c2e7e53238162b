import * as fc from 'fast-check'
import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { from } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../src/base/errors/configuration-error.js'
import {
  mapRight,
  rolling,
  type Rolling,
  type RollingOptions,
  type RollingWindow,
} from '../../src/operators/index.js'
import { caseCount } from '../support/run/long.js'
import { marbles } from '../support/time/marbles.js'
import { collectTimed, timeline$, type TimedValue } from './support/timeline.js'

type Event = Either<string, number>

const numbers: Readonly<Record<string, Event>> = {
  ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => [String(n), right(n)])),
  L: left('L'),
}

/** `[count, isFull, mean]` */
const briefly = mapRight(({ count, isFull, mean }: Rolling) => [count, isFull, mean])

const briefOf = (count: number, isFull: boolean, mean: number) => right([count, isFull, mean])

describe('rolling', () => {
  it('emits each value with the statistics of the window that ends with it', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('-1-3-5-5-5-|', numbers)
      const expected = '    -a-b-c-d-e-|'
      const values = {
        a: right({ value: 1, count: 1, isFull: false, mean: 1, deviation: 0, min: 1, max: 1, zScore: null }),
        b: right({ value: 3, count: 2, isFull: true, mean: 2, deviation: 1, min: 1, max: 3, zScore: 1 }),
        c: right({ value: 5, count: 2, isFull: true, mean: 4, deviation: 1, min: 3, max: 5, zScore: 1 }),
        d: right({ value: 5, count: 2, isFull: true, mean: 5, deviation: 0, min: 5, max: 5, zScore: null }),
        e: right({ value: 5, count: 2, isFull: true, mean: 5, deviation: 0, min: 5, max: 5, zScore: null }),
      }
      expectObservable(source$.pipe(rolling({ count: 2 }))).toBe(expected, values)
    })
  })

  it('passes a Left, which empties the window', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('1-3-L-5-7', numbers)
      const expected = '    a-b-L-c-d'
      const brief$ = source$.pipe(rolling({ count: 2 }))
      const values = {
        L: numbers['L']!,
        a: briefOf(1, false, 1),
        b: briefOf(2, true, 2),
        c: briefOf(1, false, 5),
        d: briefOf(2, true, 6),
      }
      expectObservable(brief$.pipe(briefly)).toBe(expected, values)
    })
  })

  it('keeps the window over a Left with onLeft: keep', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('1-3-L-5', numbers)
      const expected = '    a-b-L-c'
      const brief$ = source$.pipe(rolling({ count: 2 }, { onLeft: 'keep' }))
      const values = {
        L: numbers['L']!,
        a: briefOf(1, false, 1),
        b: briefOf(2, true, 2),
        c: briefOf(2, true, 4),
      }
      expectObservable(brief$.pipe(briefly)).toBe(expected, values)
    })
  })

  it('has the values that arrived less than ms ago, and is full once the first value is ms old', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('1----3----5----7-L-9', numbers)
      const expected = '    a----b----c----d-L-e'
      const brief$ = source$.pipe(rolling({ ms: 10 }))
      const values = {
        L: numbers['L']!,
        a: briefOf(1, false, 1),
        b: briefOf(2, false, 2),
        c: briefOf(2, true, 4),
        d: briefOf(2, true, 6),
        e: briefOf(1, false, 9),
      }
      expectObservable(brief$.pipe(briefly)).toBe(expected, values)
    })
  })

  it('is full after a silence in which all values have left the window', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('1-------------3', numbers)
      const expected = '    a-------------b'
      const values = { a: briefOf(1, false, 1), b: briefOf(1, true, 3) }
      expectObservable(source$.pipe(rolling({ ms: 10 }), briefly)).toBe(expected, values)
    })
  })

  it('has finite statistics again after a value that is not finite has left', async () => {
    const results = await run([1, Infinity, NaN, 2, 3, 4], { count: 2 })
    expect(results.at(-2)).toMatchObject({ mean: 2.5, deviation: 0.5, min: 2, max: 3 })
  })

  it.each<[unknown, unknown, string]>([
    [undefined, {}, 'options: expected a window like { count: 20 } or { ms: 60_000 }'],
    [{}, {}, 'count: rolling needs either count or ms'],
    [{ count: 1, ms: 1 }, {}, 'count: rolling needs either count or ms'],
    [{ count: 0 }, {}, 'count: expected a whole number of at least 1, got 0'],
    [{ count: 1.5 }, {}, 'count: expected a whole number of at least 1, got 1.5'],
    [{ ms: NaN }, {}, 'ms: expected a finite number of at least 1, got NaN'],
    [{ cout: 1 }, {}, 'cout: did you mean count?'],
    [{ count: 1 }, { onLeft: 'drop' }, "onLeft: expected 'reset' or 'keep'"],
    [{ count: 1 }, { onleft: 'keep' }, 'onleft: did you mean onLeft?'],
  ])('throws a ConfigurationError for %j, %j', (window, options, message) => {
    const create = () => rolling(window as RollingWindow, options as RollingOptions)
    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow(message)
  })

  it('has the statistics of a plain model, for any events and windows', () => {
    const event = fc.record({
      gap: fc.nat(6),
      value: fc.option(
        fc.integer({ min: -1e9, max: 1e9 }).map((thousandths) => thousandths / 1_000),
        { nil: undefined, freq: 6 },
      ),
    })
    const window = fc.oneof(
      fc.integer({ min: 1, max: 12 }).map((count) => ({ count })),
      fc.integer({ min: 1, max: 40 }).map((ms) => ({ ms })),
    )
    const onLeft = fc.constantFrom<'reset' | 'keep'>('reset', 'keep')
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), window, onLeft, (steps, size, mode) => {
        let now = 0
        const events = steps.map(({ gap, value }): TimedValue<Event> => {
          now += gap
          return { at: now, value: value === undefined ? left('L') : right(value) }
        })
        const { values } = collectTimed(() =>
          timeline$(events, now + 1).pipe(rolling(size, { onLeft: mode })),
        )
        const expected = model(events, size, mode)
        expect(values).toHaveLength(expected.length)
        for (const [index, { value }] of values.entries()) expectClose(value, expected[index]!)
      }),
      { numRuns: caseCount(500) },
    )
  })

  it('does not drift over a million values far from 0', async () => {
    const count = 1_000
    // Multiples of 2^-20 below 2^33, whose sums are exact integers.
    let state = 1
    const units = Array.from({ length: 1_000_000 }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return 2 ** 50 + state
    })
    const results = await run(
      units.map((unit) => unit / 2 ** 20),
      { count },
    )
    for (let last = count - 1; last < units.length; last += 99_991) {
      const exact = exactStatistics(units.slice(last - count + 1, last + 1))
      const { mean, deviation } = results[last]!
      expect(Math.abs(mean / exact.mean - 1)).toBeLessThan(1e-14)
      expect(Math.abs(deviation / exact.deviation - 1)).toBeLessThan(1e-9)
    }
  })
})

const run = async (values: readonly number[], window: RollingWindow): Promise<readonly Rolling[]> => {
  const results: Rolling[] = []
  await from(values.map((value): Event => right(value)))
    .pipe(rolling(window))
    .forEach((event) => {
      if (isRight(event)) results.push(event.right)
    })
  return results
}

interface Statistics {
  readonly mean: number
  readonly deviation: number
}

/** Of integers, in units of 2^-20, without rounding until the end. */
const exactStatistics = (units: readonly number[]): Statistics => {
  const count = BigInt(units.length)
  const sum = units.reduce((total, unit) => total + BigInt(unit), 0n)
  // count * count * variance
  const squares = units.reduce((total, unit) => total + (count * BigInt(unit) - sum) ** 2n, 0n) / count
  return {
    mean: Number((sum * 2n ** 30n) / count) / 2 ** 50,
    deviation: Math.sqrt(Number(squares)) / units.length / 2 ** 20,
  }
}

/** Keeps all events, and computes each window from them. */
const model = (
  events: readonly TimedValue<Event>[],
  { count, ms }: RollingWindow,
  onLeft: 'reset' | 'keep',
): readonly Either<string, Rolling>[] =>
  events.map(({ at, value: event }, index) => {
    if (isLeft(event)) return event
    const resetAt =
      onLeft === 'keep' ? -1 : events.slice(0, index).findLastIndex(({ value }) => isLeft(value))
    const since = events.slice(resetAt + 1, index + 1).filter(({ value }) => isRight(value))
    const inWindow = ms === undefined ? since.slice(-count) : since.filter((each) => at - each.at < ms)
    const values = inWindow.flatMap(({ value }) => (isRight(value) ? [value.right] : []))
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
    const [min, max] = [Math.min(...values), Math.max(...values)]
    return right({
      value: event.right,
      count: values.length,
      isFull: ms === undefined ? values.length === count : at - since[0]!.at >= ms,
      mean,
      deviation: min === max ? 0 : deviation,
      min,
      max,
      zScore: min === max ? null : (event.right - mean) / deviation,
    })
  })

/** Equal but for rounding. */
const expectClose = (actual: Either<string, Rolling>, expected: Either<string, Rolling>): void => {
  if (isLeft(actual) || isLeft(expected)) return expect(actual).toEqual(expected)
  const { mean, deviation, zScore, ...exact } = actual.right
  const scale = Math.max(1, Math.abs(expected.right.min), Math.abs(expected.right.max))
  expect(exact).toEqual({
    ...exact,
    ...expected.right,
    mean: undefined,
    deviation: undefined,
    zScore: undefined,
  })
  expect(Math.abs(mean - expected.right.mean)).toBeLessThan(1e-12 * scale)
  expect(Math.abs(deviation - expected.right.deviation)).toBeLessThan(1e-12 * scale)
  expect(zScore === null).toBe(expected.right.zScore === null)
}
