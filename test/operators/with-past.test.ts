import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { of, Subject, tap } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { PastEvent } from '../../src/base/domain/past.js'
import type { Price } from '../../src/base/domain/price.js'
import { networkError, timeout } from '../../src/base/errors/constructors.js'
import { unknownTopic } from '../../src/backtest/recording/codec/errors.js'
import type { HistoryError, PriceError } from '../../src/base/errors/model.js'
import { candles, withPast } from '../../src/operators/index.js'
import { pastTimeout } from '../../src/operators/with-past.js'
import { a, marbles, priceAt } from '../support/time/marbles.js'
import { pastGap, pastPrice } from './support/past.js'
import { collectTimed, timeline$ } from './support/timeline.js'

const liveAt = (frame: number): Either<string, Price> =>
  priceAt(frame, a, 100 + frame) as Either<never, Price>

const failure = left(unknownTopic(a))

const past: Readonly<Record<string, Either<HistoryError, PastEvent>>> = {
  F: failure,
  o: pastPrice(-6, 1),
  p: pastPrice(-3, 2),
  g: pastGap(-3, -2),
  x: pastPrice(1, 101),
  y: pastPrice(2, 102),
}

/** A digit is a live price, received at that frame. `r` was received before the subscription. */
const live: Readonly<Record<string, Either<string | PriceError, Price>>> = {
  ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => [String(n), liveAt(n)])),
  r: priceAt(-4, a, 2),
  L: left('L'),
}

const events = {
  ...past,
  ...live,
  C: right({ _tag: 'CaughtUp' }),
  T: left(timeout(pastTimeout)),
  N: left(networkError('lost')),
}

describe('withPast', () => {
  it('emits the past, CaughtUp, the live events that came meanwhile, and then each as it comes', () => {
    marbles(({ hot$, cold$, expectObservable, expectSubscriptions }) => {
      const past$ = cold$('   -o-pg|', past)
      const source$ = hot$('  1-2-L------6-8-|', live)
      const subscribed = '    ^--------------!'
      const pastSubscribed = '^----!'
      const expected = '      -o-pg(C12L)6-8-|'
      expectObservable(source$.pipe(withPast(past$))).toBe(expected, events)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
      expectSubscriptions(past$.subscriptions).toBe(pastSubscribed)
    })
  })

  it('emits CaughtUp before the first live event if the past ends earlier', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const past$ = cold$(' -o(p|)', past)
      const source$ = hot$('------6-8-', live)
      const expected = '    -o(pC)6-8-'
      expectObservable(source$.pipe(withPast(past$))).toBe(expected, events)
    })
  })

  it.each([
    ['a past without events', '|', '(C12)'],
    ['a past that emits at once', '(op|)', '(opC12)'],
    ['a past that fails at once', '(F|)', '(FC12)'],
    ['a past that throws at once', '#', '(NC12)'],
  ])('joins %s and live events of the same time', (_, marble, expected) => {
    marbles(({ cold$, expectObservable }) => {
      const past$ = cold$(marble, past, 'lost')
      const source$ = cold$('(12)', live)
      expectObservable(source$.pipe(withPast(past$))).toBe(expected, events)
    })
  })

  it('emits the error of a past, and the live events that it delayed', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const past$ = cold$(' -o-(F|)', past)
      const source$ = hot$('--2-------8-', live)
      const expected = '    -o-(FC2)--8-'
      expectObservable(source$.pipe(withPast(past$))).toBe(expected, events)
    })
  })

  it('emits held prices older than `maxLag` as past, if another event has followed', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const past$ = cold$(' -o 7s |', past)
      const source$ = hot$('--12 6s L', live)
      const expected = '    -o 7s (UVCL)'
      const outdated = { ...events, U: pastPrice(1, 101), V: pastPrice(2, 102) }
      expectObservable(source$.pipe(withPast(past$, { pastTimeout: 10_000 }))).toBe(expected, outdated)
    })
    marbles(({ hot$, cold$, expectObservable }) => {
      const past$ = cold$(' -o 7s |', past)
      const source$ = hot$('--12', live)
      const expected = '    -o 7s (UC2)'
      const outdated = { ...events, U: pastPrice(1, 101) }
      expectObservable(source$.pipe(withPast(past$, { pastTimeout: 10_000 }))).toBe(expected, outdated)
    })
  })

  it('reports an Rx error of the past as a Left, and continues', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const past$ = cold$(' -o-#', past, 'lost')
      const source$ = hot$('--2-------8-', live)
      const expected = '    -o-(NC2)--8-'
      expectObservable(source$.pipe(withPast(past$))).toBe(expected, events)
    })
  })

  it('waits for the past for 5 s, and then leaves the rest of it out', () => {
    marbles(({ hot$, cold$, expectObservable, expectSubscriptions }) => {
      const past$ = cold$('   -o 6s p', past)
      const source$ = hot$('  --2- 5001ms 8-', live)
      const pastSubscribed = '^ 4999ms !'
      const expected = '      -o 4998ms (TC2)8-'
      expectObservable(source$.pipe(withPast(past$))).toBe(expected, events)
      expectSubscriptions(past$.subscriptions).toBe(pastSubscribed)
    })
  })

  it('waits for the past for `pastTimeout`, if this option is given', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const past$ = cold$('  -o 3s p', past)
      const source$ = hot$(' --2- 2001ms 8-', live)
      const expected = '     -o 1998ms (TC2)8-'
      expectObservable(source$.pipe(withPast(past$, { pastTimeout: 2000 }))).toBe(expected, {
        ...events,
        T: left(timeout(2000)),
      })
    })
  })

  it.each([[0], [Infinity], ['5s']])('rejects a `pastTimeout` of %o', (pastTimeout) => {
    expect(() => withPast(of(), { pastTimeout: pastTimeout as number })).toThrow(/pastTimeout/)
    expect(() => candles(1000, { past$: of(), pastTimeout: pastTimeout as number })).toThrow(/pastTimeout/)
  })

  it('completes after the past if the source completes meanwhile', () => {
    marbles(({ hot$, cold$, expectObservable, expectSubscriptions }) => {
      const past$ = cold$(' -o---p|', past)
      const source$ = hot$('--2|', live)
      const subscribed = '  ^--!'
      const expected = '    -o---p(C2|)'
      expectObservable(source$.pipe(withPast(past$))).toBe(expected, events)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('passes an Rx error of the source through at once', () => {
    marbles(({ hot$, cold$, expectObservable, expectSubscriptions }) => {
      const past$ = cold$('   -o---p|', past)
      const source$ = hot$('  --2#', live)
      const pastSubscribed = '^--!'
      const expected = '      -o-#'
      expectObservable(source$.pipe(withPast(past$))).toBe(expected, events)
      expectSubscriptions(past$.subscriptions).toBe(pastSubscribed)
    })
  })

  it('unsubscribes from both', () => {
    marbles(({ hot$, cold$, expectObservable, expectSubscriptions }) => {
      const past$ = cold$(' -o---p|', past)
      const source$ = hot$('--2-----', live)
      const subscribed = '  ^--!'
      const expected = '    -o--'
      expectObservable(source$.pipe(withPast(past$)), subscribed).toBe(expected, events)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
      expectSubscriptions(past$.subscriptions).toBe(subscribed)
    })
  })

  it('keeps the order if a handler of a held event causes another', () => {
    const source$ = new Subject<Either<string, Price>>()
    const [first, second, third] = [liveAt(1), liveAt(2), liveAt(3)]
    const feedBack = (event: unknown) => {
      if (event === first) source$.next(third)
    }
    const past$ = timeline$([{ at: 5, value: pastPrice(-6, 1) }], 5)
    const { values } = collectTimed(
      () => source$.pipe(withPast(past$), tap(feedBack)),
      () => {
        source$.next(first)
        source$.next(second)
      },
    )
    expect(values.map(({ value }) => value)).toEqual([events.C, first, second, third])
  })
})

describe('a price that past and live events contain', () => {
  it('is emitted once, from the past, however late the past is', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const past$ = cold$(' --o--x--y|', past)
      const source$ = hot$('-12-----------7--', live)
      const expected = '    --o--x--yC----7--'
      expectObservable(source$.pipe(withPast(past$))).toBe(expected, events)
    })
  })

  it('is emitted once if it comes live after the past has ended', () => {
    marbles(({ hot$, expectObservable }) => {
      const past$ = of(pastPrice(-6, 1), pastPrice(1, 101))
      const source$ = hot$('-1---------7--', live)
      const expected = '    (oxC)------7--'
      expectObservable(source$.pipe(withPast(past$))).toBe(expected, events)
    })
  })

  it('is emitted once if it was current at the subscription, and later prices were recorded', () => {
    marbles(({ cold$, expectObservable }) => {
      const rows = { z: pastPrice(-3_000, 99), y: pastPrice(2_000, 102) }
      const past$ = cold$('  2001ms (zy|)', rows)
      const source$ = cold$('u 1999ms v------7--', {
        ...live,
        u: priceAt(-3_000, a, 99),
        v: priceAt(2_000, a, 102),
      })
      const expected = '     2001ms (zyC)-7'
      expectObservable(source$.pipe(withPast(past$))).toBe(expected, { ...events, ...rows })
    })
  })

  it.each([
    ['another value', past['x']!, '9'],
    ['only the value of an earlier price', pastPrice(-5_000, 101), '1'],
  ])('is no repetition if it has %s', (_title, x, digit) => {
    marbles(({ cold$, expectObservable }) => {
      const rows = { x, y: past['y']! }
      const past$ = cold$('  --x-y|', rows)
      const source$ = cold$('-n', { n: live[digit]! })
      const expected = '     --x-y(Cn)'
      expectObservable(source$.pipe(withPast(past$))).toBe(expected, { ...events, ...rows, n: live[digit] })
    })
  })

  it('is emitted once if another live event comes before it, or if it comes twice live', () => {
    marbles(({ hot$, cold$, expectObservable }) => {
      const past$ = cold$('  --x-y|', past)
      const source$ = hot$(' -L912(11)---7--', live)
      const expected = '     --x-y(CL9)--7--'
      expectObservable(source$.pipe(withPast(past$))).toBe(expected, events)
    })
  })
})
