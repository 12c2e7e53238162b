import fc from 'fast-check'
import { isLeft, isRight, left, map as mapEither, right, type Either } from 'fp-ts/lib/Either.js'
import { concat, defer, NEVER, of, Subject, switchMap, tap, timer } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { PastEvent, PricePosition } from '../../src/base/domain/past.js'
import type { Price } from '../../src/base/domain/price.js'
import { timeout } from '../../src/base/errors/constructors.js'
import { unknownTopic } from '../../src/backtest/recording/codec/errors.js'
import type { HistoryError, PriceError } from '../../src/base/errors/model.js'
import { candles, type Candle } from '../../src/operators/index.js'
import { pastTimeout } from '../../src/operators/with-past.js'
import { caseCount } from '../support/run/long.js'
import { a, marbles, priceAt } from '../support/time/marbles.js'
import { candlesOf } from './support/candles.js'
import { pastGap, pastPrice } from './support/past.js'
import { collectTimed, timeline$, type TimedValue } from './support/timeline.js'
import { liveStream$ } from './support/live-stream.js'
import { readablePast$ } from '../../src/backtest/history/history.js'

const failure = left(unknownTopic(a))

/** The subscription is at frame 0. */
const past: Readonly<Record<string, Either<HistoryError, PastEvent>>> = {
  F: failure,
  p: pastPrice(-19, 5),
  q: pastPrice(-12, 7),
  r: pastPrice(-3, 6),
  g: pastGap(-18, -12),
  h: pastGap(-30, -20),
  i: pastGap(-8, -3),
}

const live: Readonly<Record<string, Either<string, { readonly price: number }>>> = Object.fromEntries(
  [1, 2, 3, 4].map((price) => [String(price), right({ price })]),
)

const events = { F: failure, T: left(timeout(pastTimeout)) }

const candle = candlesOf(10)

describe('candles with a past', () => {
  it('emits the closed candles of the past as it is read, and then those of the live prices', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const past$ = cold$('  -pqr|', past)
      const source$ = hot$(' ----------1----------', live)
      const expected = '     ---xy---------------z'
      const values = { x: candle([5, 7], -20), y: candle([6], -10), z: candle([1], 10) }
      expectObservable(source$.pipe(candles(10, { past$ }))).toBe(expected, values)
    })
  })

  it('makes the candle of the seam of both', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const past$ = cold$('  ---(mn|)', { m: pastPrice(0, 5), n: pastPrice(1, 9) })
      const source$ = hot$(' --2-------------', live)
      const expected = '     ----------x-----'
      const values = { x: candle([5, 9, 2], 0) }
      expectObservable(source$.pipe(candles(10, { past$ }))).toBe(expected, values)
    })
  })

  it('assigns held live prices to the windows in which they came', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const past$ = cold$('  -r-----------------------|', past)
      const source$ = hot$(' -----1----2---3--------4------', live)
      const expected = '     -------------------------(xyz)w'
      const values = { x: candle([6], -10), y: candle([1], 0), z: candle([2, 3], 10), w: candle([4], 20) }
      expectObservable(source$.pipe(candles(10, { past$ }))).toBe(expected, values)
    })
  })

  it.each([
    ['a past price by a clock that is ahead to the time at which it is read', { m: 3_600_000, n: 0 }],
    ['a past price by a clock that was set back to the window of the one before it', { m: 11, n: -15 }],
    ['a held live price that came before a past price to the window of the past price', { m: 11, n: 12 }],
  ])('assigns %s', (_, { m, n }) => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const past$ = cold$('  ------------(mn|)', { m: pastPrice(m, 5), n: pastPrice(n, 9) })
      const source$ = hot$(' ----1-----------------', live)
      const expected = '     --------------------x'
      expectObservable(source$.pipe(candles(10, { past$ }))).toBe(expected, { x: candle([5, 9, 1], 10) })
    })
  })

  it('counts each gap in the candle in which it starts, or in the next one', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const past$ = cold$('  (hpgqir|)', past)
      const source$ = hot$(' ----1------', live)
      const expected = '     (xy)------z'
      const values = { x: candle([5, 7], -20, 2), y: candle([6], -10, 1), z: candle([1], 0) }
      expectObservable(source$.pipe(candles(10, { past$ }))).toBe(expected, values)
    })
  })

  it('are not current if a gap came after their last price', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const past$ = cold$('  (pqir|)', { ...past, i: pastGap(-11, -3) })
      const source$ = hot$(' ----1------', live)
      const expected = '     (xy)------z'
      const values = { x: candle([5, 7], -20, 1, false), y: candle([6], -10), z: candle([1], 0) }
      expectObservable(source$.pipe(candles(10, { past$ }))).toBe(expected, values)
    })
  })

  it('is not current at the seam until the live stream has emitted', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const past$ = cold$('  (mn|)', { m: pastPrice(-3, 5), n: pastPrice(0, 9) })
      const source$ = hot$(' ------------1-------', live)
      const expected = '     x---------y---------z'
      const values = { x: candle([5], -10), y: candle([9], 0, 0, false), z: candle([1], 10) }
      expectObservable(source$.pipe(candles(10, { past$ }))).toBe(expected, values)
    })
  })

  it.each([
    ['300 days', -300 * 86_400_000, 1_000, 2],
    ['since the Unix epoch', -Date.UTC(2026, 0), 60_000, 2],
    ['of more than 1000 windows', -1_002 * 10, 10, 2],
    ['of 1000 windows', -1_000 * 10, 10, 1_001],
  ])('emits at most 1000 candles for a quiet time of the past: %s', (_, at, ms, expected) => {
    marbles(({ flush }) => {
      const past$ = of(pastPrice(at, 5), pastPrice(0, 6))
      const emitted: unknown[] = []
      const subscription = NEVER.pipe(candles(ms, { past$, fill: true })).subscribe((each) =>
        emitted.push(each),
      )
      timer(2 * ms).subscribe(() => subscription.unsubscribe())
      flush()
      const isInterrupted = expected === 2
      expect(emitted).toHaveLength(expected)
      expect(emitted[0]).toMatchObject({
        right: { close: 5, isCurrent: !isInterrupted, interruptions: isInterrupted ? 1 : 0 },
      })
      expect(emitted.at(-1)).toMatchObject({ right: { close: 6, interruptions: 0, from: 0 } })
    })
  })

  it('fills quiet windows of the past, but not those of a gap', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const past$ = cold$('  (mgn|)', { m: pastPrice(-55, 5), g: pastGap(-25, -13), n: pastPrice(-12, 7) })
      const source$ = hot$(' 1------------------------', live)
      const expected = '     (mfyzw)---1---------g----'
      const subscribed = '   ^------------------------!'
      const filled = (price: number, from: number) =>
        mapEither((closed: Candle) => ({ ...closed, count: 0 }))(candle([price], from))
      const values = {
        m: candle([5], -60),
        f: filled(5, -50),
        y: filled(5, -40),
        z: candle([7], -20, 1),
        w: filled(7, -10),
        1: candle([1], 0),
        g: filled(1, 10),
      }
      expectObservable(source$.pipe(candles(10, { past$, fill: true })), subscribed).toBe(expected, values)
    })
  })

  it('emits an error of the past at once, and counts it as an interruption', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const past$ = cold$('  -r-(F|)', past)
      const source$ = hot$(' --1------2', live)
      const expected = '     ---(Fw)---x'
      const values = { ...events, w: candle([6], -10, 1, false), x: candle([1, 2], 0) }
      expectObservable(source$.pipe(candles(10, { past$ }))).toBe(expected, values)
    })
  })

  it('leaves out a past that lasts longer than 5 s', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const past$ = cold$('  -r 6s q|', past)
      const source$ = hot$(' --1', live)
      const expected = '     - 4999ms (Twx)'
      const values = { ...events, w: candle([6], -10, 1, false), x: candle([1], 0) }
      expectObservable(source$.pipe(candles(10, { past$ }))).toBe(expected, values)
    })
  })

  it('completes after the past', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const past$ = cold$('  -r---q--------|', past)
      const source$ = hot$(' --1-|', live)
      const expected = '     --------------(wx|)'
      const values = { w: candle([6, 7], -10), x: candle([1], 0) }
      expectObservable(source$.pipe(candles(10, { past$ }))).toBe(expected, values)
    })
  })

  it('counts a price once that both contain', () => {
    marbles(({ cold$, expectObservable }) => {
      const past$ = of(pastPrice(-3, 5), pastPrice(0, 6))
      const source$ = cold$('(mn)-----------', { m: priceAt(0, a, 6), n: priceAt(0, a, 7) })
      const expected = '     x---------y'
      const values = { x: candle([5], -10), y: candle([6, 7], 0) }
      expectObservable(source$.pipe(candles(10, { past$ }))).toBe(expected, values)
    })
  })

  it.each([1, 'past', {}])('throws a ConfigurationError for %o as the past', (past$) => {
    expect(() => candles(10, { past$: past$ as never })).toThrow('past$: expected an observable')
  })
})

/** An event, and how much later than its predecessor it is, in ms. */
const step = fc.record({
  ms: fc.nat(15),
  price: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined, freq: 4 }),
})

type Tick = Either<string | PriceError, Price>

const rightsOf = (values: readonly TimedValue<Either<unknown, Candle>>[]): readonly Candle[] =>
  values.flatMap(({ value }) => (isRight(value) ? [value.right] : []))

describe('candles of a past and of live events', () => {
  it('are those of the whole, wherever it is cut, however late the past is, and however far both overlap', () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }),
        fc.record({ cut: fc.nat(), overlap: fc.nat(4), ms: fc.integer({ min: 1, max: 30 }) }),
        fc.infiniteStream(fc.nat(20)),
        fc.boolean(),
        (steps, { cut, overlap, ms }, delays, repeatsCurrent) => {
          let now = 0
          const positions = new Map<unknown, PricePosition>()
          const all = steps.map(({ ms: gap, price }, index): TimedValue<Tick> => {
            now += gap
            const value: Tick = price === undefined ? left('L') : priceAt(now, a, price)
            positions.set(value, { run: 'run', count: index })
            return { at: now, value }
          })
          const end = now + 1000
          const whole = collectTimed(() => timeline$(all, end).pipe(candles(ms)))

          const cutAt = cut % (now + 2)
          const before = all.filter(({ at }) => at < cutAt)
          const after = all.filter(({ at }) => at >= cutAt)
          // An interruption is in the past or live: its times are the start of a gap, and the arrival of a Left.
          const firstLeft = after.findIndex(({ value }) => isLeft(value))
          const shared = after.slice(0, firstLeft < 0 ? overlap : Math.min(overlap, firstLeft))
          const pastEvents = [...before, ...shared].map(({ at, value: event }) => {
            const value = pastOf(at, event)
            positions.set(value, positions.get(event) ?? expect.fail())
            return { at, value }
          })

          const current = before.at(-1)?.value
          const isRepeated = repeatsCurrent && current !== undefined && isRight(current)
          let position: PricePosition | undefined
          const source$ = new Subject<Tick>()
          const joined$ = () => {
            let readAt = 0
            const nextDelay = (): number => Number(delays.next().value)
            const times = pastEvents.map(({ at, value }) => {
              readAt = Math.max(readAt, at - cutAt) + nextDelay()
              return { at: readAt, value }
            })
            const pastTimeline$ = timeline$(times, readAt + 1 + nextDelay())
            const past$ = readablePast$<Either<HistoryError, PastEvent>>(
              (_from, onPosition) => pastTimeline$.pipe(tap((event) => onPosition?.(positions.get(event)))),
              false,
            )
            const tick$ = isRepeated ? concat(of(current), source$) : source$
            const live$ = liveStream$(
              (onConfirmed) =>
                defer(() => {
                  onConfirmed?.()
                  return tick$.pipe(tap((event) => (position = positions.get(event))))
                }),
              () => position,
            )
            return live$.pipe(candles(ms, { past$ }))
          }
          const joined = collectTimed(
            () => timer(cutAt).pipe(switchMap(joined$)),
            () => timeline$(after, end).subscribe(source$),
          )
          // Without a live event, it is not known whether the last past price is current.
          const fields = isRepeated ? {} : { isCurrent: undefined }
          const comparable = (candle: Candle) => ({ ...candle, ...fields })
          expect(rightsOf(joined.values).map(comparable)).toEqual(rightsOf(whole.values).map(comparable))
        },
      ),
      { numRuns: caseCount(4000) },
    )
  })
})

const pastOf = (at: number, event: Tick): Either<HistoryError, PastEvent> =>
  isLeft(event) ? pastGap(at, at + 1) : pastPrice(at, event.right.price)
