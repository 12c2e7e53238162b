import * as fc from 'fast-check'
import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { merge } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { Price } from '../../src/base/domain/price.js'
import { candles, mapRight, type Candle } from '../../src/operators/index.js'
import { collectTimed, createPrice, timeline$, type TimedValue } from './support/timeline.js'
import { marbles } from '../support/time/marbles.js'

type Tick = Either<string, Price>

const tick = (price: number, epoch: number): Tick => right({ ...createPrice(price), epoch })

/** The digit is the price; `a` to `c` have epoch 2, `x` has epoch 3. */
const ticks: Readonly<Record<string, Tick>> = {
  1: tick(1, 1),
  2: tick(2, 1),
  3: tick(3, 1),
  a: tick(1, 2),
  b: tick(2, 2),
  c: tick(3, 2),
  x: tick(1, 3),
  L: left('L'),
}

const interruptionsOf = mapRight(({ interruptions }: Candle) => interruptions)

/** Marbles of the interruptions: the digit is their number. */
const counts = {
  ...Object.fromEntries([0, 1, 2, 3, 4, 5].map((count) => [String(count), right(count)])),
  L: left('L'),
}

describe('the interruptions of a candle', () => {
  it('count the Lefts of its window, after and before its prices', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('1---------2-L-L---L-1-------------L-3---------', ticks)
      const expected = '    ----------0-L-L---L-3---------0---L-----1'
      const subscribed = '  ^--------------------------------------------!'
      expectObservable(source$.pipe(candles(10), interruptionsOf), subscribed).toBe(expected, counts)
    })
  })

  it('count each price whose epoch differs from that of the price before it', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('1-2-a-b---c-----x---x---------', ticks)
      const expected = '    ----------1---------1---------0'
      expectObservable(source$.pipe(candles(10), interruptionsOf)).toBe(expected, counts)
    })
  })

  it('count a reconnect as its Left and its new epoch, in the windows in which they occur', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('1-L-a---------b-------L-------x---------', ticks)
      const expected = '    --L-------2---------0-L-----------------2'
      const values = { ...counts }
      expectObservable(source$.pipe(candles(10), interruptionsOf)).toBe(expected, values)
    })
  })

  it('include those of windows without a price before it', () => {
    marbles(({ hot$, expectObservable }) => {
      // The price that follows the Lefts has the epoch of the prices before them, as after a Stale.
      const source$ = hot$('1-----------L---------L-------2---------3----', ticks)
      const expected = '    ----------0-L---------L-----------------2---------0'
      expectObservable(source$.pipe(candles(10), interruptionsOf)).toBe(expected, counts)
    })
  })

  it('include a Left before the first price', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('L------------1----------------', ticks)
      const expected = '    L-------------------1---------'
      expectObservable(source$.pipe(candles(10), interruptionsOf)).toBe(expected, counts)
    })
  })

  it('count a Left at the end of a window in the next candle', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('1---------L-2-----------', ticks)
      const expected = '    ----------(0L)------1---'
      expectObservable(source$.pipe(candles(10), interruptionsOf)).toBe(expected, counts)
    })
  })

  it('are counted for each subscriber', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$(' 1-L-a-----b---------', ticks)
      const late = '         ----^----------------'
      const expectedEarly = '--L-------2---------0'
      const expectedLate = ' ----------0---------0'
      const candles$ = source$.pipe(candles(10), interruptionsOf)
      expectObservable(candles$).toBe(expectedEarly, counts)
      expectObservable(candles$, late).toBe(expectedLate, counts)
    })
  })

  it('ignore values without an epoch', () => {
    marbles(({ hot$, expectObservable }) => {
      const price$ = hot$('1---2-----a---------', ticks)
      const plain$ = hot$('--p---p-----p-------', { p: right({ price: 5 }) })
      const expected = '   ----------0---------1'
      expectObservable(merge(price$, plain$).pipe(candles(10), interruptionsOf)).toBe(expected, counts)
    })
  })
})

describe('candles with interruptions', () => {
  it('match a simple reference implementation for any events', () => {
    const step = fc.record({
      gap: fc.nat(12),
      price: fc.integer({ min: 1, max: 9 }),
      epoch: fc.integer({ min: 1, max: 2 }),
      isLeft: fc.boolean(),
    })
    fc.assert(
      fc.property(
        fc.array(step),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 30 }),
        (steps, ms, rest) => {
          let now = 0
          const events = steps.map(({ gap, price, epoch, isLeft }): TimedValue<Tick> => {
            now += gap
            return { at: now, value: isLeft ? left('L') : tick(price, epoch) }
          })
          const end = now + rest
          const { values, completedAt } = collectTimed(() => timeline$(events, end).pipe(candles(ms)))
          expect(values).toEqual(reference(events, ms, end))
          expect(completedAt).toBe(end)
        },
      ),
    )
  })
})

/** Evaluates each window on the complete list of events. */
const reference = (
  events: readonly TimedValue<Tick>[],
  ms: number,
  end: number,
): TimedValue<Either<string, Candle>>[] => {
  const emitted: TimedValue<Either<string, Candle>>[] = []
  const interruptedAt = interruptionTimes(events)
  let previousTo = 0
  for (let to = ms; to <= end; to += ms) {
    const inside = events.filter(({ at }) => at >= to - ms && at < to)
    const seen = inside.flatMap(({ value }) => (isRight(value) ? [value.right.price] : []))
    emitted.push(...inside.flatMap(({ at, value }) => (isLeft(value) ? [{ at, value }] : [])))
    if (seen.length === 0) continue
    const sorted = [...seen].sort((a, b) => a - b)
    const since = previousTo
    const candle: Candle = {
      open: seen[0]!,
      high: sorted.at(-1)!,
      low: sorted[0]!,
      close: seen.at(-1)!,
      count: seen.length,
      interruptions: interruptedAt.filter((at) => at >= since && at < to).length,
      isCurrent: isRight(inside.at(-1)!.value),
      from: to - ms,
      to,
    }
    emitted.push({ at: to, value: right(candle) })
    previousTo = to
  }
  const open = events.filter(({ at }) => at >= Math.floor(end / ms) * ms)
  return [...emitted, ...open.flatMap(({ at, value }) => (isLeft(value) ? [{ at, value }] : []))]
}

/** The times of the Lefts and of the prices with another epoch than the price before them. */
const interruptionTimes = (events: readonly TimedValue<Tick>[]): readonly number[] =>
  events
    .filter(({ value }, index) => {
      if (isLeft(value)) return true
      const before = events.slice(0, index).findLast((event) => isRight(event.value))?.value
      return before !== undefined && isRight(before) && before.right.epoch !== value.right.epoch
    })
    .map(({ at }) => at)
