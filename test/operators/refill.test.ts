import fc from 'fast-check'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import {
  asyncScheduler,
  defer,
  from,
  map,
  NEVER,
  of,
  Subject,
  take,
  tap,
  throwError,
  type Observable,
} from 'rxjs'
import { describe, expect, it } from 'vitest'
import { type OnPosition, type PastEvent, type PricePosition } from '../../src/base/domain/past.js'
import type { Price } from '../../src/base/domain/price.js'
import { ConfigurationError } from '../../src/base/errors/configuration-error.js'
import { networkError, timeout } from '../../src/base/errors/constructors.js'
import { unknownTopic } from '../../src/backtest/recording/codec/errors.js'
import type { HistoryError } from '../../src/base/errors/model.js'
import { candles, withPast, type Candle, type TopicPast } from '../../src/operators/index.js'
import { missingPrices$ } from '../../src/operators/missing-prices.js'
import { caseCount } from '../support/run/long.js'
import { a, marbles, priceAt } from '../support/time/marbles.js'
import { candlesOf } from './support/candles.js'
import { pastGap, pastPrice } from './support/past.js'
import { collectTimed, timeline$, type TimedValue } from './support/timeline.js'
import { liveStream$ } from './support/live-stream.js'
import { readablePast$ } from '../../src/backtest/history/history.js'

type Past = Either<HistoryError, PastEvent>

/** A digit is a live price of that frame; a letter `n` to `z` is a past price. */
const past: Readonly<Record<string, Past>> = {
  n: pastPrice(-3, 2),
  p: pastPrice(1, 101),
  q: pastPrice(4, 104),
  r: pastPrice(6, 106),
  s: pastPrice(9, 109),
  g: pastGap(4, 8),
  F: left(unknownTopic(a)),
}

const unrecorded = (start: number, to: number): Past =>
  right({ _tag: 'Gap', topic: a, from: start, to, cause: 'unrecorded' })

const live: Readonly<Record<string, Either<string, Price>>> = {
  '1': priceAt(1, a, 101) as Either<never, Price>,
  '9': priceAt(9, a, 109) as Either<never, Price>,
  e: priceAt(9, a, 109, 2) as Either<never, Price>,
  f: priceAt(11, a, 111, 2) as Either<never, Price>,
  i: priceAt(12, a, 112) as Either<never, Price>,
  L: left('L'),
}

const events = { ...past, ...live, C: right({ _tag: 'CaughtUp' }) }

const pastOf = (read$: Observable<Past>, start?: number): TopicPast => ({
  history: { prices$: () => read$ },
  topic: a,
  ...(start === undefined ? {} : { from: start }),
})

const refill = { refill: true }

describe('withPast with refill', () => {
  it('reads nothing at the start without `from`', () => {
    marbles(({ hot$, cold$, expectObservable, expectSubscriptions }) => {
      const read$ = cold$('       n|', past)
      const source$ = hot$('      -1-', live)
      const expected = '          C1-'
      expectObservable(source$.pipe(withPast(pastOf(read$), refill))).toBe(expected, events)
      expectSubscriptions(read$.subscriptions).toBe([])
    })
  })

  it('reads the past from `from` on at the start', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const read$ = cold$(' --n|', past)
      const source$ = hot$('-1-', live)
      const expected = '    --n(C1)'
      expectObservable(source$.pipe(withPast(pastOf(read$, -10), refill))).toBe(expected, events)
    })
  })

  it('emits what is missing between the price before a Left and the next one', () => {
    marbles(({ hot$, cold$, expectObservable, expectSubscriptions }) => {
      const read$ = cold$('          -pqrs|', past)
      const source$ = hot$('-1--L----9---i-', live)
      const expected = '    C1--L---------(qr9i)'
      const read = '        ---------^----!'
      expectObservable(source$.pipe(withPast(pastOf(read$), refill))).toBe(expected, events)
      expectSubscriptions(read$.subscriptions).toBe(read)
    })
  })

  it('emits what is missing after a change of the epoch without a Left', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const read$ = cold$('          (pqrs|)', past)
      const source$ = hot$('-1-------e-----f', live)
      const expected = '    C1-------(qre)-f'
      expectObservable(source$.pipe(withPast(pastOf(read$), refill))).toBe(expected, events)
    })
  })

  it('emits the gaps of the history, and trusts the times of a history that ends by itself', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const read$ = cold$('          (g|)', past)
      const source$ = hot$('-1--L----9', live)
      const expected = '    C1--L----(g9)'
      expectObservable(source$.pipe(withPast(pastOf(read$), refill))).toBe(expected, events)
    })
  })

  it.each([
    ['fails', of(past['F']!), past['F']!],
    ['throws', throwError(() => 'lost'), left(networkError('lost'))],
  ])('emits the error, and a gap, if the history %s', (_, read$, error) => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('-1--L----9', live)
      const expected = '    C1--L----(EG9)'
      const values = { ...events, E: error, G: unrecorded(1, 9) }
      expectObservable(source$.pipe(withPast(pastOf(read$), refill))).toBe(expected, values)
    })
  })

  it('emits the error, and a gap, if the call of the history throws', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('-1--L----9', live)
      const expected = '    C1--L----(EG9)'
      const values = { ...events, E: left(networkError('lost')), G: unrecorded(1, 9) }
      const lost = (): never => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- any value may be thrown
        throw 'lost'
      }
      const given = { history: { prices$: lost }, topic: a }
      expectObservable(source$.pipe(withPast(given, refill))).toBe(expected, values)
    })
  })

  it('waits for the history for `refillTimeout`, and then says what is missing', () => {
    marbles(({ hot$, cold$, expectObservable, expectSubscriptions }) => {
      const read$ = cold$('          -pq 3s r', past)
      const source$ = hot$('-1--L----9', live)
      const expected = '    C1--L---- 2s (qTG9)'
      const read = '        ---------^ 1999ms !'
      const values = { ...events, T: left(timeout(2000)), G: unrecorded(4, 9) }
      const joined$ = source$.pipe(withPast(pastOf(read$), { ...refill, refillTimeout: 2000 }))
      expectObservable(joined$).toBe(expected, values)
      expectSubscriptions(read$.subscriptions).toBe(read)
    })
  })

  it('refills again if the stream was interrupted while the history was read', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const first$ = cold$('         -----(pqrs|)', past)
      const second$ = cold$<Past>('       -------|')
      const source$ = hot$('-1--L----9-L--i', live)
      const expected = '    C1--L---------(qr9L)-i'
      const readings = [first$, second$]
      const history = { prices$: () => readings.shift() ?? NEVER }
      const joined$ = source$.pipe(withPast({ history, topic: a }, refill))
      expectObservable(joined$).toBe(expected, events)
    })
  })

  it('reads nothing for the held events after its subscriber has unsubscribed', () => {
    marbles(({ hot$, cold$, expectObservable, expectSubscriptions }) => {
      const read$ = cold$('        ------|', past)
      const source$ = hot$('       -1-L9--', live)
      const read = '               ^-----!'
      const joined$ = source$.pipe(withPast(pastOf(read$, 0), refill), take(2))
      expectObservable(joined$).toBe('------(C1|)', events)
      expectSubscriptions(read$.subscriptions).toBe(read)
    })
  })

  it('completes after the missing prices', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const read$ = cold$('          ---(qr|)', past)
      const source$ = hot$('-1--L----9|', live)
      const expected = '    C1--L-------(qr9|)'
      expectObservable(source$.pipe(withPast(pastOf(read$), refill))).toBe(expected, events)
    })
  })

  it('requires a history', () => {
    const wrong = [
      () => withPast(NEVER, refill),
      () => candles(10, refill),
      () => candles(10, { past$: NEVER, ...refill }),
      () => candles(10, { past$: NEVER, past: pastOf(NEVER) }),
      () => candles(10, { past: { history: {}, topic: a } as never }),
      () => withPast({ history: {}, topic: a } as never),
    ]
    for (const each of wrong) expect(each).toThrow(ConfigurationError)
  })
})

const candle = candlesOf(5)

describe('candles with refill', () => {
  it('contain what an interruption has left out, and count none, but are late', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const past$ = cold$('          --(pqrs|)', past)
      const source$ = hot$('-1--L----9----------', live)
      const expected = '    ----L------(xy)'
      expectObservable(source$.pipe(candles(5, { past: pastOf(past$), ...refill }))).toBe(expected, {
        L: left('L'),
        x: candle([101, 104], 0),
        y: candle([106, 109], 5),
      })
    })
  })

  it('count the gaps that remain', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const past$ = cold$('          (g|)', past)
      const source$ = hot$('-1--L----9------', live)
      const expected = '    ----L----xy'
      const values = { L: left('L'), x: candle([101], 0, 1, false), y: candle([109], 5) }
      expectObservable(source$.pipe(candles(5, { past: pastOf(past$), ...refill }))).toBe(expected, values)
    })
  })

  it('count an interruption that was not refilled before the end', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('-1--L-----|', live)
      const expected = '    ----L-----(x|)'
      expectObservable(source$.pipe(candles(5, { past: pastOf(NEVER), ...refill }))).toBe(expected, {
        L: left('L'),
        x: candle([101], 0, 1, false),
      })
    })
  })
})

interface Row {
  readonly at: number
  readonly price: number
  readonly position: PricePosition | undefined
}

/** A history that has a row `lag` ms after its time. */
const historyOf = (rows: readonly Row[], lag: number, now: () => number): TopicPast['history'] => ({
  prices$: () =>
    readablePast$<Past>(
      (start = 0, onPosition: OnPosition = () => undefined) =>
        defer(() => from(rows.filter(({ at }) => at >= start && at + lag <= now()))).pipe(
          tap((row) => onPosition(row.position)),
          map(({ at, price }) => pastPrice(at, price)),
        ),
      true,
    ),
})

it('misses no price if only the row of the price after the interruption is not written yet', () => {
  marbles(({ expectObservable }) => {
    const [first, second, third, after] = [0, 1, 2, 3].map((count) => ({
      at: count,
      price: 100 + count,
      position: { run: 'run', count },
    })) as [Row, Row, Row, Row]
    const history = historyOf([first, second, third], 0, () => Infinity)
    expectObservable(missingPrices$({ history, topic: a }, first, after, 5000)).toBe('(pq|)', {
      p: pastPrice(1, 101),
      q: pastPrice(2, 102),
    })
  })
})

const rightsOf = (values: readonly TimedValue<Either<unknown, Candle>>[]): readonly Candle[] =>
  values.flatMap(({ value }) => (isLeft(value) ? [] : [value.right]))

describe('candles of a stream with any interruptions', () => {
  it('are those of a stream without one, if the history has all prices', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ ms: fc.nat(60), price: fc.integer({ min: 1, max: 3 }), isLost: fc.boolean() }), {
          minLength: 2,
          maxLength: 40,
          size: 'max',
        }),
        fc.record({ ms: fc.integer({ min: 1, max: 50 }), lag: fc.nat(300), fill: fc.boolean() }),
        fc.boolean(),
        (steps, { ms, lag, fill }, hasPositions) => {
          let now = 0
          let epoch = 1
          const rows: Row[] = []
          const whole: TimedValue<Either<string, Price>>[] = []
          const interrupted: (TimedValue<Either<string, Price>> & { readonly position?: PricePosition })[] =
            []
          for (const [index, step] of steps.entries()) {
            now += step.ms
            const value = hasPositions ? step.price : index + 1
            const position = { run: 'run', count: index }
            rows.push({ at: now, price: value, position: hasPositions ? position : undefined })
            whole.push({ at: now, value: priceAt(now, a, value) as Either<never, Price> })
            // The first and the last price are live: there is a price before and after each interruption.
            const isLost = step.isLost && index > 0 && index < steps.length - 1
            if (!isLost)
              interrupted.push({
                at: now,
                value: priceAt(now, a, value, epoch) as Either<never, Price>,
                position,
              })
            else if (isLeft(interrupted.at(-1)!.value)) continue
            else {
              epoch++
              interrupted.push({ at: now, value: left('L') })
            }
          }
          const end = now + 3000
          const expected = collectTimed(() => timeline$(whole, end).pipe(candles(ms, { fill })))

          let position: PricePosition | undefined
          const source$ = new Subject<Either<string, Price>>()
          const actual = collectTimed(
            () => {
              const { now: clock } = asyncScheduler
              const history = historyOf(rows, lag, () => clock())
              const live$ = liveStream$(
                (onConfirmed) => {
                  onConfirmed?.()
                  return source$
                },
                () => (hasPositions ? position : undefined),
              )
              return live$.pipe(candles(ms, { past: { history, topic: a }, refill: true, fill }))
            },
            () => {
              const timed = interrupted.map((each) => ({ at: each.at, value: each }))
              timeline$(timed, end).subscribe({
                next: (each) => {
                  position = each.position
                  source$.next(each.value)
                },
                complete: () => source$.complete(),
              })
            },
          )
          expect(rightsOf(actual.values)).toEqual(rightsOf(expected.values))
        },
      ),
      { numRuns: caseCount(4000) },
    )
  })
})
