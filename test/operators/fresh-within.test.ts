import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { of, Subject, take, tap, type Observable } from 'rxjs'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import type { Depth } from '../../src/base/domain/depth.js'
import type { Price } from '../../src/base/domain/price.js'
import { ConfigurationError } from '../../src/base/errors/configuration-error.js'
import type { DepthError, PriceError, Stale } from '../../src/base/errors/model.js'
import { freshWithin } from '../../src/operators/index.js'
import { letterEvents, createPrice, collectTimed, timeline$ } from './support/timeline.js'
import { marbles } from '../support/time/marbles.js'
import { blockEventLoop } from '../support/time/event-loop.js'
import { eventually } from '../support/time/eventually.js'
import { collectUnhandledErrors } from '../support/unhandled-errors.js'

const unhandled = collectUnhandledErrors()

const stale5 = left({
  _tag: 'Stale',
  message: 'no value for 5 ms',
  topic: '',
  silentForMs: 5,
  last: undefined,
})
const values = { ...letterEvents, S: stale5 }

describe('freshWithin', () => {
  it('emits one Stale when no event follows a value in time', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-a--b-----------------c-------d---|', letterEvents)
      const subscribed = '  ^---------------------------------!'
      const expected = '    -a--b----S------------c----S--d---|'
      expectObservable(source$.pipe(freshWithin(5))).toBe(expected, values)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('emits no Stale after a Left or before the first value', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('----------a--B------------C---------|', letterEvents)
      const expected = '    ----------a--B------------C---------|'
      expectObservable(source$.pipe(freshWithin(5))).toBe(expected, values)
    })
  })

  it('emits no Stale after completion', () => {
    marbles(({ cold$, expectObservable }) => {
      const source$ = cold$('-a--|', letterEvents)
      const expected = '     -a--|'
      expectObservable(source$.pipe(freshWithin(5))).toBe(expected, values)
    })
  })

  it('passes an Rx error through and emits no Stale after it', () => {
    marbles(({ cold$, expectObservable }) => {
      const source$ = cold$('-a--#', letterEvents)
      const expected = '     -a--#'
      expectObservable(source$.pipe(freshWithin(5))).toBe(expected, values)
    })
  })

  it('cancels the deadline and unsubscribes from the source on unsubscribe', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-a------------', letterEvents)
      const subscribed = '  ^--!          '
      const expected = '    -a------------'
      expectObservable(source$.pipe(freshWithin(5)), subscribed).toBe(expected, values)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('has a deadline for each subscriber', () => {
    marbles(({ cold$, expectObservable }) => {
      const source$ = cold$(' -a--------', letterEvents)
      const expected = '      -a----S'
      const subscribedLate = '---^------'
      const expectedLate = '  ----a----S'
      const fresh$ = source$.pipe(freshWithin(5))
      expectObservable(fresh$).toBe(expected, values)
      expectObservable(fresh$, subscribedLate).toBe(expectedLate, values)
    })
  })

  it('emits a Stale with the topic of the value and the price as last', () => {
    const price = createPrice(2)
    const { values: emitted } = collectTimed(() =>
      timeline$([{ at: 3, value: right(price) }]).pipe(freshWithin(10)),
    )
    expect(emitted).toEqual([
      { at: 3, value: right(price) },
      {
        at: 13,
        value: left({
          _tag: 'Stale',
          message: 'svc-0xab: no price for 10 ms; the last price was 2',
          topic: 'svc-0xab',
          silentForMs: 10,
          last: price,
        }),
      },
    ])
  })

  it.each([
    ['an object with only a topic', { topic: 'svc-0xab' }, 'svc-0xab', 'svc-0xab: no value for 10 ms'],
    [
      'a price whose price is not a number',
      { ...createPrice(1), price: '1' },
      'svc-0xab',
      'svc-0xab: no value for 10 ms',
    ],
    ['a price whose topic is not a string', { ...createPrice(1), topic: 1 }, '', 'no value for 10 ms'],
    ['a number', 7, '', 'no value for 10 ms'],
    ['null', null, '', 'no value for 10 ms'],
  ])('emits a Stale without last after %s', (_, value, topic, message) => {
    const { values: emitted } = collectTimed(() =>
      timeline$([{ at: 0, value: right(value) }]).pipe(freshWithin(10)),
    )
    expect(emitted[1]?.value).toEqual(
      left({ _tag: 'Stale', message, topic, silentForMs: 10, last: undefined }),
    )
  })

  it('stops reading a synchronous source when its subscriber unsubscribes', () => {
    const { values: emitted, completedAt } = collectTimed(() =>
      of(letterEvents['a']!, letterEvents['b']!).pipe(freshWithin(5), take(1)),
    )
    expect(emitted).toEqual([{ at: 0, value: letterEvents['a'] }])
    expect(completedAt).toBe(0)
  })

  it('restarts the deadline when a handler feeds a value back', () => {
    const source$ = new Subject<Either<string, string>>()
    const feedBack = (value: Either<unknown, string>) => {
      if (value === letterEvents['a']) source$.next(letterEvents['b']!)
    }
    const { values: emitted } = collectTimed(
      () => source$.pipe(freshWithin(5), tap(feedBack)),
      () => source$.next(letterEvents['a']!),
    )
    // In `tap`, the value that is fed back overtakes the value that is being handled.
    expect(emitted).toEqual([
      { at: 0, value: letterEvents['b'] },
      { at: 0, value: letterEvents['a'] },
      { at: 5, value: stale5 },
    ])
  })

  it.each([NaN, Infinity, -Infinity, -1, 2 ** 31, '5' as unknown as number])(
    'throws a ConfigurationError for %s ms',
    (ms) => {
      expect(() => freshWithin(ms)).toThrow(ConfigurationError)
    },
  )

  it.each([0, 0.5, 2 ** 31 - 1])('accepts %s ms', (ms) => {
    expect(() => freshWithin(ms)).not.toThrow()
  })

  it('adds Stale to the error type', () => {
    const depth$ = new Subject<Either<DepthError, Depth>>().asObservable()
    expectTypeOf(depth$.pipe(freshWithin(5))).toEqualTypeOf<Observable<Either<DepthError | Stale, Depth>>>()
    const price$ = new Subject<Either<PriceError, Price>>().asObservable()
    expectTypeOf(price$.pipe(freshWithin(5))).toEqualTypeOf<Observable<Either<PriceError, Price>>>()
  })
})

describe('freshWithin in real time', () => {
  it('emits no Stale for time during which the event loop is blocked', async () => {
    const source$ = new Subject<Either<string, string>>()
    const seen: unknown[] = []
    const subscription = source$.pipe(freshWithin(200)).subscribe((value) => seen.push(value))
    source$.next(letterEvents['a']!)
    // Like data in a socket's buffer, this value arrives after the timers that are due.
    setImmediate(() => setImmediate(() => source$.next(letterEvents['b']!)))
    blockEventLoop(250)
    await eventually(() => expect(seen).toEqual([letterEvents['a'], letterEvents['b']]))
    subscription.unsubscribe()
  })

  it('clears its timer on unsubscribe and on completion', () => {
    vi.useFakeTimers()
    try {
      const source$ = new Subject<Either<string, string>>()
      const subscription = source$.pipe(freshWithin(30)).subscribe()
      source$.next(letterEvents['a']!)
      source$.next(letterEvents['b']!)
      expect(vi.getTimerCount()).toBe(1)
      subscription.unsubscribe()
      expect(vi.getTimerCount()).toBe(0)
      source$.pipe(freshWithin(30)).subscribe()
      source$.next(letterEvents['a']!)
      expect(vi.getTimerCount()).toBe(1)
      source$.complete()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('continues when a handler throws', async () => {
    const source$ = new Subject<Either<string, string>>()
    const seen: unknown[] = []
    source$.pipe(freshWithin(30)).subscribe((value) => {
      seen.push(value)
      throw new Error('by the handler')
    })
    source$.next(letterEvents['a']!)
    source$.next(letterEvents['b']!)
    source$.complete()
    expect(seen).toEqual([letterEvents['a'], letterEvents['b']])
    await eventually(() => expect(unhandled).toHaveLength(2))
  })
})
