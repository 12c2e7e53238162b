import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { of, Subject, take, tap, type Observable } from 'rxjs'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import type { Depth } from '../../src/domain/depth.js'
import type { Price } from '../../src/domain/price.js'
import { ConfigurationError } from '../../src/errors/configuration-error.js'
import type { DepthError, PriceError, Stale } from '../../src/errors/model.js'
import { freshWithin } from '../../src/operators/index.js'
import { letters, marbles, priceOf, record, timeline$ } from './support/marbles.js'
import { block, reportedErrors, sleep } from './support/real-time.js'

const stale5 = left({
  _tag: 'Stale',
  message: 'nothing for 5 ms',
  topic: '',
  silentForMs: 5,
  last: undefined,
})
const values = { ...letters, S: stale5 }

describe('freshWithin', () => {
  it('follows a value by one Stale when nothing else does, once per silence', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-a--b-----------------c-------d---|', letters)
      const subscribed = '  ^---------------------------------!'
      const expected = '    -a--b----S------------c----S--d---|'
      expectObservable(source$.pipe(freshWithin(5))).toBe(expected, values)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('does not wait after a Left, nor before the first value', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('----------a--B------------C---------|', letters)
      const expected = '    ----------a--B------------C---------|'
      expectObservable(source$.pipe(freshWithin(5))).toBe(expected, values)
    })
  })

  it('waits no longer once the source has completed', () => {
    marbles(({ cold$, expectObservable }) => {
      const source$ = cold$('-a--|', letters)
      const expected = '     -a--|'
      expectObservable(source$.pipe(freshWithin(5))).toBe(expected, values)
    })
  })

  it('passes an Rx error on, and waits no longer', () => {
    marbles(({ cold$, expectObservable }) => {
      const source$ = cold$('-a--#', letters)
      const expected = '     -a--#'
      expectObservable(source$.pipe(freshWithin(5))).toBe(expected, values)
    })
  })

  it('ends the wait and the subscription when its consumer leaves', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-a------------', letters)
      const subscribed = '  ^--!          '
      const expected = '    -a------------'
      expectObservable(source$.pipe(freshWithin(5)), subscribed).toBe(expected, values)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('waits anew for each subscriber', () => {
    marbles(({ cold$, expectObservable }) => {
      const source$ = cold$('        -a--------', letters)
      const fresh$ = source$.pipe(freshWithin(5))
      expectObservable(fresh$, '   ^---------').toBe('-a----S', values)
      expectObservable(fresh$, '   ---^------').toBe('----a----S', values)
    })
  })

  it('names the topic of the value, and keeps a price as the last', () => {
    const price = priceOf(2)
    const { values: given } = record(() => timeline$([{ at: 3, value: right(price) }]).pipe(freshWithin(10)))
    expect(given).toEqual([
      { at: 3, value: right(price) },
      {
        at: 13,
        value: left({
          _tag: 'Stale',
          message: 'svc-0xab: nothing for 10 ms; the last price was 2',
          topic: 'svc-0xab',
          silentForMs: 10,
          last: price,
        }),
      },
    ])
  })

  it.each([
    ['a topic alone', { topic: 'svc-0xab' }, 'svc-0xab', 'svc-0xab: nothing for 10 ms'],
    [
      'a price that is not a number',
      { ...priceOf(1), price: '1' },
      'svc-0xab',
      'svc-0xab: nothing for 10 ms',
    ],
    ['a topic that is not a text', { ...priceOf(1), topic: 1 }, '', 'nothing for 10 ms'],
    ['a number', 7, '', 'nothing for 10 ms'],
    ['null', null, '', 'nothing for 10 ms'],
  ])('does not take %s for a price', (_, value, topic, message) => {
    const { values: given } = record(() => timeline$([{ at: 0, value: right(value) }]).pipe(freshWithin(10)))
    expect(given[1]?.value).toEqual(left({ _tag: 'Stale', message, topic, silentForMs: 10, last: undefined }))
  })

  it('lets its consumer leave at a synchronous value', () => {
    const { values: given, completedAt } = record(() =>
      of(letters['a']!, letters['b']!).pipe(freshWithin(5), take(1)),
    )
    expect(given).toEqual([{ at: 0, value: letters['a'] }])
    expect(completedAt).toBe(0)
  })

  it('starts anew when a handler feeds a value back', () => {
    const source$ = new Subject<Either<string, string>>()
    const feedBack = (value: Either<unknown, string>) => {
      if (value === letters['a']) source$.next(letters['b']!)
    }
    const { values: given } = record(
      () => source$.pipe(freshWithin(5), tap(feedBack)),
      () => source$.next(letters['a']!),
    )
    // `tap` lets the value that is fed back overtake the one that it answers.
    expect(given).toEqual([
      { at: 0, value: letters['b'] },
      { at: 0, value: letters['a'] },
      { at: 5, value: stale5 },
    ])
  })

  it.each([NaN, Infinity, -Infinity, -1, 2 ** 31, '5' as unknown as number])('refuses %s ms', (ms) => {
    expect(() => freshWithin(ms)).toThrow(ConfigurationError)
  })

  it.each([0, 0.5, 2 ** 31 - 1])('takes %s ms', (ms) => {
    expect(() => freshWithin(ms)).not.toThrow()
  })

  it('adds Stale to the errors', () => {
    const depth$ = new Subject<Either<DepthError, Depth>>().asObservable()
    expectTypeOf(depth$.pipe(freshWithin(5))).toEqualTypeOf<Observable<Either<DepthError | Stale, Depth>>>()
    const price$ = new Subject<Either<PriceError, Price>>().asObservable()
    expectTypeOf(price$.pipe(freshWithin(5))).toEqualTypeOf<Observable<Either<PriceError, Price>>>()
  })
})

describe('freshWithin in real time', () => {
  it('does not take a blocked event loop for silence', async () => {
    const source$ = new Subject<Either<string, string>>()
    const seen: unknown[] = []
    const subscription = source$.pipe(freshWithin(200)).subscribe((value) => seen.push(value))
    source$.next(letters['a']!)
    // As what a socket has in its buffer: it comes after the timers that are due.
    setImmediate(() => setImmediate(() => source$.next(letters['b']!)))
    block(250)
    await sleep(40)
    expect(seen).toEqual([letters['a'], letters['b']])
    subscription.unsubscribe()
  })

  it('leaves no timer behind', () => {
    vi.useFakeTimers()
    try {
      const source$ = new Subject<Either<string, string>>()
      const subscription = source$.pipe(freshWithin(30)).subscribe()
      source$.next(letters['a']!)
      source$.next(letters['b']!)
      expect(vi.getTimerCount()).toBe(1)
      subscription.unsubscribe()
      expect(vi.getTimerCount()).toBe(0)
      source$.pipe(freshWithin(30)).subscribe()
      source$.next(letters['a']!)
      expect(vi.getTimerCount()).toBe(1)
      source$.complete()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('goes on when a handler throws', () => {
    const thrown = reportedErrors()
    const source$ = new Subject<Either<string, string>>()
    const seen: unknown[] = []
    source$.pipe(freshWithin(30)).subscribe((value) => {
      seen.push(value)
      throw new Error('by the handler')
    })
    source$.next(letters['a']!)
    source$.next(letters['b']!)
    source$.complete()
    expect(seen).toEqual([letters['a'], letters['b']])
    return thrown(2)
  })
})
