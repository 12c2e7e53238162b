import fc from 'fast-check'
import { isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { of, Subject, take, tap, type Observable } from 'rxjs'
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import type { Depth } from '../../src/base/domain/depth.js'
import type { Price } from '../../src/base/domain/price.js'
import { ConfigurationError } from '../../src/base/errors/configuration-error.js'
import type { DepthError, PriceError } from '../../src/base/errors/model.js'
import { candles, filterRight, mapRight, rights, type Candle } from '../../src/operators/index.js'
import { letterEvents, createPrice, collectTimed, timeline$ } from './support/timeline.js'
import { marbles } from '../support/time/marbles.js'
import { eventually } from '../support/time/eventually.js'
import { collectUnhandledErrors } from '../support/unhandled-errors.js'

const unhandled = collectUnhandledErrors()

type Tick = Either<string, Price>

const prices: Readonly<Record<string, Tick>> = {
  ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => [String(n), right(createPrice(n))])),
  E: left('E'),
}

const candle = (
  open: number,
  high: number,
  low: number,
  close: number,
  count: number,
  from: number,
  to: number,
  interruptions = 0,
  isCurrent = true,
) => right({ open, high, low, close, count, interruptions, isCurrent, from, to })

describe('candles', () => {
  it('emits each candle when its window closes, aligned to multiples of the length', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('---3-1-5-2---4-----6-----', prices)
      const subscribed = '  ^------------------------'
      const expected = '    ----------x---------y----'
      const values = { x: candle(3, 5, 1, 2, 4, 0, 10), y: candle(4, 6, 4, 6, 2, 10, 20) }
      expectObservable(source$.pipe(candles(10))).toBe(expected, values)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('skips windows without a price', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('-7-----------------------8-----', prices)
      const expected = '    ----------x-------------------y'
      const values = { x: candle(7, 7, 7, 7, 1, 0, 10), y: candle(8, 8, 8, 8, 1, 20, 30) }
      expectObservable(source$.pipe(candles(10))).toBe(expected, values)
    })
  })

  it('takes plain prices, whose candles are not current and fill no window', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('-3-1-E----------------4-----', prices).pipe(rights())
      const expected = '    ----------x-------------------y'
      const [x, y] = [candle(3, 3, 1, 1, 2, 0, 10, 0, false), candle(4, 4, 4, 4, 1, 20, 30, 0, false)]
      expectObservable(source$.pipe(candles(10, { fill: true }))).toBe(expected, { x, y })
    })
  })

  it('assigns a price at the end of a window to the next one', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('5---6---7-------', prices)
      const expected = '    ----x---y---z---'
      const values = {
        x: candle(5, 5, 5, 5, 1, 0, 4),
        y: candle(6, 6, 6, 6, 1, 4, 8),
        z: candle(7, 7, 7, 7, 1, 8, 12),
      }
      expectObservable(source$.pipe(candles(4))).toBe(expected, values)
    })
  })

  it('emits a Left immediately and does not change the prices of the candle', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('-5-E-3----E---', prices)
      const expected = '    ---E------(xE)'
      const values = { ...prices, x: candle(5, 5, 3, 3, 2, 0, 10, 1) }
      expectObservable(source$.pipe(candles(10))).toBe(expected, values)
    })
  })

  it.each(
    Object.entries({
      'is not current if a Left came after its last price': {
        source: '  -1-2-E-------',
        expected: '----------x',
        isCurrent: false,
      },
      'is current if a price came after its last Left': {
        source: '  -1-E-2-------',
        expected: '----------x',
        isCurrent: true,
      },
      'is current if a Left comes at its end': {
        source: '  -1-2------E--',
        expected: '----------x',
        isCurrent: true,
      },
    }),
  )('%s', (_, { source, expected, isCurrent }) => {
    marbles(({ hot$, expectObservable }) => {
      const last$ = hot$(source, prices).pipe(
        candles(10),
        filterRight(({ from }) => from === 0),
        mapRight((candle) => candle.isCurrent),
        rights(),
      )
      expectObservable(last$).toBe(expected, { x: isCurrent })
    })
  })

  it('emits no candle for a window that is open at completion', () => {
    marbles(({ cold$, expectObservable, expectSubscriptions }) => {
      const source$ = cold$('-5---------3---|', prices)
      const subscribed = '   ^--------------!'
      const expected = '     ----------x----|'
      expectObservable(source$.pipe(candles(10))).toBe(expected, { x: candle(5, 5, 5, 5, 1, 0, 10) })
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('emits the candle of a window that ends at completion', () => {
    marbles(({ cold$, expectObservable }) => {
      const source$ = cold$('-5--------|', prices)
      const expected = '     ----------(x|)'
      expectObservable(source$.pipe(candles(10))).toBe(expected, { x: candle(5, 5, 5, 5, 1, 0, 10) })
    })
  })

  it('passes an Rx error through immediately', () => {
    marbles(({ cold$, expectObservable }) => {
      const source$ = cold$('-5-#', prices)
      const expected = '     ---#'
      expectObservable(source$.pipe(candles(10))).toBe(expected)
    })
  })

  it('closes the window and unsubscribes from the source on unsubscribe', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-5------------', prices)
      const subscribed = '  ^--!'
      const expected = '    --------------'
      expectObservable(source$.pipe(candles(10)), subscribed).toBe(expected)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('assigns a price that a handler feeds back to the window of its arrival', () => {
    const source$ = new Subject<Tick>()
    const feedBack = (event: Either<string, Candle>) => {
      if (isRight(event) && event.right.from === 0) source$.next(prices['9']!)
    }
    const { values } = collectTimed(
      () => source$.pipe(candles(10), tap(feedBack)),
      () => source$.next(prices['5']!),
    )
    expect(values).toEqual([
      { at: 10, value: candle(5, 5, 5, 5, 1, 0, 10) },
      { at: 20, value: candle(9, 9, 9, 9, 1, 10, 20) },
    ])
  })

  it.each([NaN, Infinity, -Infinity, -1, 0, 1e-300, 0.999, 2 ** 31, '5' as unknown as number])(
    'throws a ConfigurationError for %s ms',
    (ms) => {
      expect(() => candles(ms)).toThrow(ConfigurationError)
    },
  )

  it('accepts values with a price and has the error type of the source', () => {
    const price$ = new Subject<Either<PriceError, Price>>().asObservable()
    expectTypeOf(price$.pipe(candles(5))).toEqualTypeOf<Observable<Either<PriceError, Candle>>>()
    const depth$ = new Subject<Either<DepthError, Depth>>().asObservable()
    expectTypeOf(depth$.pipe(candles(5))).toEqualTypeOf<Observable<Either<DepthError, Candle>>>()
    // @ts-expect-error -- a string has no price
    void of(letterEvents['a']!).pipe(candles(5))
  })

  it.each([1, 1.5, 1000 / 3, 2 ** 31 - 1])('accepts %s ms', (ms) => {
    const { values } = collectTimed(() =>
      timeline$([{ at: 0, value: prices['1']! }]).pipe(candles(ms), take(1)),
    )
    expect(values).toEqual([{ at: expect.closeTo(ms, 0) as number, value: candle(1, 1, 1, 1, 1, 0, ms) }])
  })
})

describe('candles with fill', () => {
  const fill = { fill: true }

  it('emit a candle for each window without a price in which the source was current', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('--1-3-----------------------E-----2----------', prices)
      const expected = '    ----------x---------f-------E-----------y----'
      const values = {
        ...prices,
        x: candle(1, 3, 1, 3, 2, 0, 10),
        f: candle(3, 3, 3, 3, 0, 10, 20),
        y: candle(2, 2, 2, 2, 1, 30, 40, 1),
      }
      expectObservable(
        source$.pipe(candles(10, fill)),
        '^--------------------------------------------!',
      ).toBe(expected, values)
    })
  })

  it('fill no window after a Left that came after the last price', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('--1-E----------------', prices)
      const expected = '    ----E-----x----------'
      const values = { ...prices, x: candle(1, 1, 1, 1, 1, 0, 10, 1, false) }
      expectObservable(source$.pipe(candles(10, fill))).toBe(expected, values)
    })
  })

  it('fill the windows before a price that arrives before the timer', () => {
    const [first, last] = [right(createPrice(1, 2)), right(createPrice(2, 35))]
    const source$ = timeline$(
      [
        { at: 2, value: first },
        { at: 8, value: last },
      ],
      9,
    )
    const { values } = collectTimed(() => source$.pipe(candles(10, fill)))
    expect(values.map(({ value }) => value)).toEqual([
      candle(1, 1, 1, 1, 1, 0, 10),
      candle(1, 1, 1, 1, 0, 10, 20),
      candle(1, 1, 1, 1, 0, 20, 30),
    ])
  })

  it('throw a ConfigurationError for a fill that is not a boolean', () => {
    expect(() => candles(10, { fill: 1 as unknown as boolean })).toThrow('fill: expected true or false')
  })
})

describe('candles, when the clock and the timers differ,', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    vi.setSystemTime(1000)
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const run = () => {
    const source$ = new Subject<Tick>()
    const emitted: Either<string, Candle>[] = []
    const subscription = source$.pipe(candles(100)).subscribe((value) => emitted.push(value))
    return { source$, emitted, subscription }
  }

  it('restart a timer that fires early', () => {
    const { source$, emitted } = run()
    vi.setSystemTime(1001)
    source$.next(prices['1']!)
    vi.setSystemTime(1000)
    vi.advanceTimersByTime(99)
    expect(Date.now()).toBe(1099)
    source$.next(prices['2']!)
    vi.advanceTimersByTime(1)
    expect(emitted).toEqual([])
    vi.advanceTimersByTime(1)
    expect(emitted).toEqual([candle(1, 2, 1, 2, 2, 1000, 1100)])
  })

  it('close a window before later events, even if the timer is late', async () => {
    const { source$, emitted } = run()
    source$.next(prices['1']!)
    await Promise.resolve() // all events of a turn have one arrival
    vi.setSystemTime(1130)
    source$.next(prices['E']!)
    source$.next(prices['2']!)
    expect(emitted).toEqual([candle(1, 1, 1, 1, 1, 1000, 1100), prices['E']])
    await Promise.resolve()
    vi.setSystemTime(1270)
    source$.next(prices['3']!)
    expect(emitted.at(-1)).toEqual(candle(2, 2, 2, 2, 1, 1100, 1200, 1))
    vi.setSystemTime(1305)
    source$.complete()
    expect(emitted.at(-1)).toEqual(candle(3, 3, 3, 3, 1, 1200, 1300))
    expect(vi.getTimerCount()).toBe(0)
  })

  it('do not accumulate timers that are late repeatedly', () => {
    const { source$, subscription } = run()
    let most = 0
    for (let round = 0; round < 60; round++) {
      vi.setSystemTime(Date.now() + 127) // the clock runs five times as fast as the timers
      source$.next(prices['1']!)
      vi.advanceTimersByTime(30)
      most = Math.max(most, vi.getTimerCount())
    }
    expect(most).toBe(1)
    vi.advanceTimersByTime(200)
    expect(vi.getTimerCount()).toBe(0)
    subscription.unsubscribe()
  })

  it('close the window when the clock is set back', () => {
    const { source$, emitted } = run()
    source$.next(prices['1']!)
    vi.setSystemTime(550)
    source$.next(prices['2']!)
    expect(emitted).toEqual([candle(1, 1, 1, 1, 1, 1000, 1100)])
    vi.advanceTimersByTime(51)
    expect(emitted.at(-1)).toEqual(candle(2, 2, 2, 2, 1, 500, 600))
    vi.advanceTimersByTime(200)
    expect(vi.getTimerCount()).toBe(0)
    expect(emitted).toHaveLength(2)
  })

  it('are not current after a pause of the process of more than a minute, and fill no window of it', () => {
    const source$ = new Subject<Tick>()
    const emitted: unknown[] = []
    const subscription = source$.pipe(candles(100, { fill: true })).subscribe((value) => emitted.push(value))
    source$.next(prices['1']!)
    vi.setSystemTime(3_600_000)
    vi.advanceTimersByTime(101)
    expect(emitted).toEqual([candle(1, 1, 1, 1, 1, 1000, 1100, 0, false)])
    expect(vi.getTimerCount()).toBe(0)
    subscription.unsubscribe()
  })

  it('have one timer, and none after unsubscribe', () => {
    const { source$, subscription } = run()
    for (let i = 0; i < 100; i++) source$.next(prices['1']!)
    expect(vi.getTimerCount()).toBe(1)
    subscription.unsubscribe()
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('candles, when a handler throws,', () => {
  it('continue', async () => {
    const source$ = new Subject<Tick>()
    const seen: unknown[] = []
    source$.pipe(candles(10)).subscribe((value) => {
      seen.push(value)
      throw new Error('by the handler')
    })
    source$.next(prices['E']!)
    source$.next(prices['E']!)
    source$.complete()
    expect(seen).toHaveLength(2)
    await eventually(() => expect(unhandled).toHaveLength(2))
  })
})

describe('candles of a random timeline, with fill,', () => {
  it('are those of a plain model, for any times, Lefts, and prices that are ahead of their timer', () => {
    const step = fc.record({
      gap: fc.nat(25),
      ahead: fc.nat(20),
      usd: fc.option(fc.integer({ min: 1, max: 9 }), { freq: 4 }),
    })
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 12 }),
        (steps, ms) => {
          let now = 1
          const events = steps.map(({ gap, ahead, usd }) => {
            now += gap
            const time = usd === null ? now : now + ahead
            return { at: now, usd, time, value: usd === null ? left('lost') : right(createPrice(usd, time)) }
          })
          const end = now + 50
          const { values } = collectTimed(() =>
            timeline$(events, end).pipe(candles(ms, { fill: true }), rights()),
          )
          const actual = values.map(({ value: { open, high, low, close, count, from, isCurrent } }) => ({
            ...{ open, high, low, close, count, from, isCurrent },
          }))
          expect(actual).toEqual(candlesOf(events, ms, end))
        },
      ),
    )
  })
})

interface Arrival {
  /** `null`: a Left. */
  readonly usd: number | null
  /** The time by its data. */
  readonly time: number
}

/** A window has a candle if it has a price, or if the source was current at its start and lost nothing in it. */
const candlesOf = (events: readonly Arrival[], ms: number, end: number) => {
  let latest = 0
  const placed = events.map(({ usd, time }) => {
    latest = Math.max(latest, Math.floor(time / ms))
    return { usd, window: latest }
  })
  const last = Math.max(latest - 1, Math.floor(end / ms) - 1)
  let current: number | null = null
  return Array.from({ length: last + 1 }, (_, window) => {
    const inside = placed.filter((event) => event.window === window).map(({ usd }) => usd)
    const prices = inside.filter((usd) => usd !== null)
    const close: number | null = prices.at(-1) ?? (inside.length === 0 ? current : null)
    const isCurrent = inside.at(-1) !== null
    current = isCurrent ? close : null
    if (close === null) return []
    const all = prices.length === 0 ? [close] : prices
    const [open, high, low] = [all[0], Math.max(...all), Math.min(...all)]
    return [{ open, high, low, close, count: prices.length, from: window * ms, isCurrent }]
  }).flat()
}
