import fc from 'fast-check'
import { isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import {
  concat,
  defer,
  ignoreElements,
  last,
  map,
  merge,
  NEVER,
  of,
  Subject,
  takeUntil,
  tap,
  timer,
  type Observable,
} from 'rxjs'
import { describe, expect, it } from 'vitest'
import { type OnPosition, type PastEvent, type PricePosition } from '../../src/base/domain/past.js'
import type { Price } from '../../src/base/domain/price.js'
import { timeout } from '../../src/base/errors/constructors.js'
import type { HistoryError } from '../../src/base/errors/model.js'
import { pastTimeout, withPast } from '../../src/operators/with-past.js'
import { pricesOf, type Joined } from '../backtest/history/support/joined.js'
import { caseCount } from '../support/run/long.js'
import { a, marbles, priceAt } from '../support/time/marbles.js'
import { pastGap, pastPrice } from './support/past.js'
import { liveStream$ } from './support/live-stream.js'
import { readablePast$ } from '../../src/backtest/history/history.js'

// A service sends prices; a recorder on another machine, with a clock that is decades behind, stores them all. `withPast`
// reads the past before its live stream is confirmed.

interface Scenario {
  /** The ms between a price and the one before it, by the recorder's clock, and the value of the price. */
  readonly steps: readonly { readonly ms: number; readonly price: number }[]
  /** Number of prices that the first reading contains; number of prices before the confirmation. */
  readonly first: number
  readonly confirmed: number
  /** Number of prices that have arrived when the second reading starts, at least one of them live, and when it ends. */
  readonly startsAt: number
  readonly endsAt: number
  /** Number of prices that the second reading contains. */
  readonly second: number
  /** True if the first reading ends with a gap that is none, because its recording is still written. */
  readonly endsInGap: boolean
  /** True if the second reading can start at the end of the first one. */
  readonly isEarly: boolean
  /** Number of prices before the gateway restarts. */
  readonly restartsAt: number
}

const scenario = (price: fc.Arbitrary<number>): fc.Arbitrary<Scenario> =>
  fc
    .record({
      steps: fc.array(fc.record({ ms: fc.constantFrom(0, 0, 1, 7), price }), { minLength: 1, maxLength: 30 }),
      cuts: fc.array(fc.nat(30), { minLength: 4, maxLength: 4 }),
      endsAt: fc.nat(30),
      endsInGap: fc.boolean(),
      isEarly: fc.boolean(),
      restartsAt: fc.nat(40),
    })
    .map(({ steps, cuts, endsAt, ...rest }) => {
      const [first = 0, confirmed = 0, startsAt = 0, second = 0] = cuts
        .map((cut) => Math.min(cut, steps.length))
        .sort((x, y) => x - y)
      const arrived = Math.max(startsAt, Math.min(endsAt, steps.length))
      return { ...rest, steps, first, confirmed, startsAt, second, endsAt: arrived }
    })
    .filter(({ confirmed, startsAt }) => startsAt > confirmed)

const few = fc.constantFrom(1, 2)

type Event = Either<HistoryError, PastEvent>

/** The output of `withPast`. `isShared`: the recorder and the client give the same positions to the prices. */
const run = (
  { steps, first, confirmed, startsAt, endsAt, second, endsInGap, isEarly, restartsAt }: Scenario,
  isShared: boolean,
  failure?: Event,
): readonly Joined[] => {
  let now = 0
  /** The position of the last one of this number of prices. */
  const positionAt = (count: number): PricePosition =>
    count <= restartsAt ? { run: 'first', count } : { run: 'second', count: count - restartsAt }
  const recordedAt = (count: number): PricePosition =>
    isShared ? positionAt(count) : { run: 'other', count }
  const rows = steps.map(({ ms, price }, index) => ({
    at: (now += ms),
    price,
    position: recordedAt(index + 1),
  }))
  const live$ = new Subject<Either<string, Price>>()
  let position = positionAt(confirmed)
  const sendLive = (from: number, to: number): void => {
    for (let index = from; index < to; index++) {
      if (index === restartsAt) live$.next(left('Disconnected'))
      position = positionAt(index + 1)
      live$.next(right({ topic: a, price: rows[index]?.price ?? NaN, receivedAt: Date.now(), epoch: 1 }))
    }
  }
  let confirm = (): void => undefined
  const source$ = liveStream$<Observable<Either<string, Price>>>(
    (onConfirmed) => {
      confirm = () => onConfirmed?.()
      return live$
    },
    () => position,
  )
  let readings = 0
  const firstEnd$ = new Subject<Event>()
  const secondEnd$ = new Subject<Event>()
  const rows$ = (from: number, count: number, onPosition: OnPosition = () => undefined): Observable<Event> =>
    of(...rows.slice(0, count).filter(({ at }) => at >= from)).pipe(
      tap((row) => onPosition(row.position)),
      map(({ at, price }) => pastPrice(at, price)),
    )
  const gapAtEnd = (): readonly Event[] => (endsInGap ? [pastGap(rows[first - 1]?.at ?? -1, now + 1)] : [])
  const past$ = readablePast$<Event>(
    (from, onPosition): Observable<Event> =>
      readings++ === 0
        ? // The stream itself, which the operator does not subscribe to.
          NEVER
        : readings === 2
          ? concat(rows$(-Infinity, first, onPosition), of(...gapAtEnd()), firstEnd$)
          : concat(rows$(from ?? -Infinity, second, onPosition), secondEnd$),
    true,
  )
  const output: Joined[] = []
  const subscription = source$.pipe(withPast(past$)).subscribe((event) => output.push(event))
  confirm()
  if (isEarly) sendLive(confirmed, startsAt)
  if (failure !== undefined) firstEnd$.next(failure)
  firstEnd$.complete()
  if (!isEarly) sendLive(confirmed, startsAt)
  sendLive(startsAt, endsAt)
  secondEnd$.complete()
  sendLive(endsAt, steps.length)
  subscription.unsubscribe()
  return output
}

const hasTag =
  (tag: string) =>
  (event: Joined): boolean =>
    isRight(event) && '_tag' in event.right && event.right._tag === tag

const pastPricesOf = (events: readonly Joined[]): readonly number[] =>
  pricesOf(events.slice(0, events.findIndex(hasTag('CaughtUp'))))

/** A gap from the last past price to the first live event. */
const unknown = (from: number, to: number) => right({ _tag: 'Gap', topic: a, from, to, cause: 'unrecorded' })

describe('withPast of a stream that is confirmed later', () => {
  it('emits each price once by its position, whichever prices are equal, also if the gateway restarts', () => {
    fc.assert(
      fc.property(scenario(few), (given) => {
        expect(pricesOf(run(given, true))).toEqual(given.steps.map(({ price }) => price))
      }),
      { numRuns: caseCount(2000) },
    )
  })

  it('leaves no price out without common positions, and says by a gap that it cannot know', () => {
    fc.assert(
      fc.property(scenario(few), (given) => {
        const output = run({ ...given, restartsAt: Infinity }, false)
        const past = pastPricesOf(output)
        const live = pricesOf(output).slice(past.length)
        const all = given.steps.map(({ price }) => price)
        expect(past).toEqual(all.slice(0, past.length))
        expect(live).toEqual(all.slice(all.length - live.length))
        expect(past.length + live.length).toBeGreaterThanOrEqual(all.length)
        const border = output.findIndex(hasTag('CaughtUp'))
        if (border > 0) expect(output.slice(0, border).findIndex(hasTag('Gap'))).toBe(border - 1)
      }),
      { numRuns: caseCount(2000) },
    )
  })

  it('reads no rest after a failure of the past', () => {
    const failure = left(timeout(1))
    const steps = [1, 2, 3].map((price) => ({ ms: 1, price }))
    const given = {
      steps,
      first: 1,
      confirmed: 2,
      startsAt: 3,
      endsAt: 3,
      second: 3,
      endsInGap: false,
      isEarly: false,
      restartsAt: Infinity,
    }
    expect(run(given, false, failure)).toMatchObject([
      { right: { price: 1 } },
      failure,
      right({ _tag: 'CaughtUp' }),
      { right: { price: 3 } },
    ])
  })

  const events = {
    p: pastPrice(1, 10),
    q: pastPrice(2, 20),
    '2': priceAt(2, a, 20),
    '3': priceAt(0, a, 30),
    L: left('L'),
    C: right({ _tag: 'CaughtUp' }),
    T: left(timeout(pastTimeout)),
    G: unknown(2, 3),
    H: unknown(2, 1003),
    I: unknown(1, 2),
  }

  it.each(
    Object.entries({
      'at the first live price': {
        confirmedAt: 1,
        source: '  --3-------3',
        expected: 'p-(qGC3)--3',
      },
      'with the first live price, which does not come again': {
        confirmedAt: 1,
        source: '  --2-------3',
        expected: 'p-(qC)----3',
      },
      'at a failure, before the confirmation': {
        confirmedAt: 9,
        source: '  --L-------3',
        expected: 'p-(qGCL)--3',
      },
      'at the completion of the live stream': {
        confirmedAt: 9,
        source: '  --|',
        expected: 'p-(qGC|)',
      },
      '1 s after the confirmation, without a live price': {
        confirmedAt: 3,
        source: '  2s 3---',
        expected: 'p 1002ms (qHC) 992ms 3',
      },
      'never, without a confirmation within 5 s': {
        confirmedAt: 9999,
        source: '  6s 3',
        expected: 'p 4999ms (TC) 996ms 3',
      },
    }),
  )('reads the rest without positions %s', (_, { confirmedAt, source, expected }) => {
    marbles(({ cold$, expectObservable }) => {
      const live$ = cold$(source, events)
      const source$ = liveStream$(
        (onConfirmed) => {
          const confirmed$ = timer(confirmedAt).pipe(tap(onConfirmed), ignoreElements())
          return merge(live$, confirmed$.pipe(takeUntil(live$.pipe(last(null, null)))))
        },
        () => undefined,
      )
      const past$ = readablePast$<Event>(
        (from) => (from === undefined ? of(events.p) : of(events.p, events.q)),
        true,
      )
      expectObservable(source$.pipe(withPast(past$))).toBe(expected, events)
    })
  })

  it('reads no rest if the topic is confirmed when it is subscribed to', () => {
    marbles(({ cold$, expectObservable }) => {
      const source$ = liveStream$(
        (onConfirmed) => defer(() => (onConfirmed?.(), cold$('-----3', events))),
        () => undefined,
      )
      const past$ = readablePast$<Event>(
        (from) => (from === undefined ? of(events.p) : of(events.p, events.q)),
        true,
      )
      expectObservable(source$.pipe(withPast(past$))).toBe('(pIC)3', events)
    })
  })

  const liveEvents = { '3': priceAt(0, a, 30) as Either<never, Price> }

  /** The source is confirmed after 3 ms, when the service has sent two prices. `skipped`: not sent by its gateway. */
  const confirmedAtTwo$ = (live$: Observable<Either<string, Price>>, skipped = 0) => {
    let count = 2
    return liveStream$<Observable<Either<string, Price>>>(
      (onConfirmed) => {
        const confirmed$ = timer(3).pipe(tap(onConfirmed), ignoreElements())
        return merge(live$.pipe(tap(() => (count += 1 + skipped))), confirmed$)
      },
      () => ({ run: 'run', count }),
    )
  }

  it('reads no rest if the past reaches the first live price', () => {
    marbles(({ cold$, expectObservable }) => {
      const live$ = cold$('-----3', liveEvents)
      const expected = '   p----(C3)'
      let readings = 0
      const past$ = readablePast$<Event>((_from, onPosition) => {
        readings++
        onPosition?.({ run: 'run', count: 2 })
        return of(events.p)
      }, true)
      expectObservable(confirmedAtTwo$(live$).pipe(withPast(past$))).toBe(expected, events)
      expect(readings).toBe(1)
    })
  })

  it('reads the rest again until the recorder has stored the price before the first live price', () => {
    marbles(({ cold$, expectObservable }) => {
      const live$ = cold$('------3', liveEvents)
      const expected = '   p 205ms (qC3)'
      let readings = 0
      const past$ = readablePast$<Event>(
        (_from, onPosition) =>
          defer(() =>
            of(events.p, ...(++readings > 3 ? [events.q] : [])).pipe(
              tap((event) => onPosition?.({ run: 'run', count: event === events.p ? 1 : 2 })),
            ),
          ),
        true,
      )
      expectObservable(confirmedAtTwo$(live$).pipe(withPast(past$))).toBe(expected, events)
    })
  })

  /** A recorder that stores the price with the second number at the third reading. */
  const lateRecorder$ = (first: number, second: number) => {
    let readings = 0
    return readablePast$<Event>(
      (_from, onPosition) =>
        defer(() =>
          of(events.p, ...(++readings > 3 ? [events.q] : [])).pipe(
            tap((event) => onPosition?.({ run: 'run', count: event === events.p ? first : second })),
          ),
        ),
      true,
    )
  }

  it('reads the rest again until the recorder has stored the price before the confirmation, if no price comes', () => {
    marbles(({ cold$, expectObservable }) => {
      const live$ = cold$<Either<string, Price>>('------L', events as never)
      const expected = '                         p 205ms (qCL)'
      expectObservable(confirmedAtTwo$(live$).pipe(withPast(lateRecorder$(1, 2)))).toBe(expected, events)
    })
  })

  it('reads the rest up to the first live price, if a gateway left out prices after the confirmation', () => {
    marbles(({ cold$, expectObservable }) => {
      const live$ = cold$('------3', liveEvents)
      const expected = '   p 205ms (qC3)'
      expectObservable(confirmedAtTwo$(live$, 3).pipe(withPast(lateRecorder$(2, 5)))).toBe(expected, events)
    })
  })

  it('ignores a second confirmation after the first live price', () => {
    marbles(({ cold$, expectObservable }) => {
      const live$ = cold$('        --3---', events)
      const first$ = cold$<Event>('p----|', events as never)
      const subscribed = '         ^-----!'
      const expected = '           p----(qGC3)'
      const source$ = liveStream$(
        (onConfirmed) => merge(timer(1, 2).pipe(tap(onConfirmed), ignoreElements()), live$),
        () => undefined,
      )
      const past$ = readablePast$<Event>(
        (from) => (from === undefined ? first$ : of(events.p, events.q)),
        true,
      )
      expectObservable(source$.pipe(withPast(past$)), subscribed).toBe(expected, events)
    })
  })

  it('waits for no live price after a failure of the past', () => {
    marbles(({ cold$, expectObservable }) => {
      const live$ = cold$('-----3', events)
      const expected = '   (pTC)3'
      const source$ = liveStream$(
        () => live$,
        () => undefined,
      )
      const past$ = readablePast$<Event>(() => of(events.p, events.T), true)
      expectObservable(source$.pipe(withPast(past$))).toBe(expected, events)
    })
  })

  it('waits for no live price if the confirmation of the source is unknown', () => {
    marbles(({ cold$, expectObservable }) => {
      const source$ = cold$('-----3', events)
      const expected = '     (pIC)3'
      const past$ = readablePast$<Event>(() => of(events.p), true)
      expectObservable(source$.pipe(withPast(past$))).toBe(expected, events)
    })
  })

  it('emits each gap once if the first reading ends with two gaps', () => {
    marbles(({ cold$, expectObservable }) => {
      const gaps = { g: pastGap(1, 4), h: pastGap(4, 6), i: pastGap(4, 9) }
      const live$ = cold$('----3', events)
      const expected = '   (pg)(iC3)'
      const source$ = liveStream$(
        (onConfirmed) => merge(timer(1).pipe(tap(onConfirmed), ignoreElements()), live$),
        () => undefined,
      )
      const past$ = readablePast$<Event>((from) => {
        if (from === undefined) return of(events.p, gaps.g, gaps.h)
        return from > 1 ? of(gaps.i) : of(events.p, gaps.g, gaps.i)
      }, true)
      expectObservable(source$.pipe(withPast(past$))).toBe(expected, { ...events, ...gaps })
    })
  })

  it('emits each price once if the clock of the recorder was set back', () => {
    marbles(({ cold$, expectObservable }) => {
      const rows = { x: pastPrice(100, 1), y: pastPrice(105, 2), z: pastPrice(96, 20), w: pastPrice(97, 25) }
      const all = [rows.x, rows.y, rows.z, rows.w]
      let count = 4
      const source$ = liveStream$<Observable<Either<string, Price>>>(
        (onConfirmed) =>
          merge(
            timer(1).pipe(tap(onConfirmed), ignoreElements()),
            cold$<Either<string, Price>>('-----3', liveEvents).pipe(tap(() => (count = 5))),
          ),
        () => ({ run: 'run', count }),
      )
      const past$ = readablePast$<Event>(
        (from, onPosition) =>
          of(...all.slice(0, from === undefined ? 3 : 4)).pipe(
            tap((row) => onPosition?.({ run: 'run', count: all.indexOf(row) + 1 })),
          ),
        true,
      )
      expectObservable(source$.pipe(withPast(past$))).toBe('(xyz)(wC3)', { ...events, ...rows })
    })
  })
})
