import * as fc from 'fast-check'
import { isLeft, isRight, right, type Either, type Right } from 'fp-ts/lib/Either.js'
import { of, Subject, tap, type Observable } from 'rxjs'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import type { Price } from '../../src/base/domain/price.js'
import { ConfigurationError } from '../../src/base/errors/configuration-error.js'
import type { PriceError } from '../../src/base/errors/model.js'
import { conflate, type Conflated } from '../../src/operators/index.js'
import { letterEvents, collectTimed, timeline$, type TimedValue } from './support/timeline.js'
import { marbles } from '../support/time/marbles.js'
import { eventually } from '../support/time/eventually.js'
import { collectUnhandledErrors } from '../support/unhandled-errors.js'

const unhandled = collectUnhandledErrors()

const window = (value: string, dropped: number) => right({ value, dropped })

describe('conflate', () => {
  it('emits the latest value at the end of each window, with the number of dropped values', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-a-b-c------d----------e-----------', letterEvents)
      const subscribed = '  ^----------------------------------'
      const expected = '    -------x----------y----------z-----'
      const values = { x: window('c', 2), y: window('d', 0), z: window('e', 0) }
      expectObservable(source$.pipe(conflate(6))).toBe(expected, values)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('opens a window with the first value after the previous window', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('-abcde-fgh-----i-------', letterEvents)
      const expected = '    ------x-----y-------z---'
      const values = { x: window('e', 4), y: window('h', 2), z: window('i', 0) }
      expectObservable(source$.pipe(conflate(5))).toBe(expected, values)
    })
  })

  it('emits a Left immediately and drops the pending value', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('-a-b-C-----------d--------', letterEvents)
      const expected = '    -----C-----------------x--'
      const values = { ...letterEvents, x: window('d', 0) }
      expectObservable(source$.pipe(conflate(6))).toBe(expected, values)
    })
  })

  it('keeps the window open after a Left, so that errors do not delay values', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('-a-B-cD--efG-h----------', letterEvents)
      const expected = '    ---B--D----G---x--------'
      const values = { ...letterEvents, x: window('h', 2) }
      expectObservable(source$.pipe(conflate(6))).toBe(expected, values)
    })
  })

  it('emits the pending value when the source completes, and completes', () => {
    marbles(({ cold$, expectObservable, expectSubscriptions }) => {
      const source$ = cold$('-ab-|', letterEvents)
      const subscribed = '   ^---!'
      const expected = '     ----(x|)'
      expectObservable(source$.pipe(conflate(6))).toBe(expected, { x: window('b', 1) })
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('completes with the source when no value is pending', () => {
    marbles(({ cold$, expectObservable }) => {
      const source$ = cold$('-aB-|', letterEvents)
      const expected = '     --B-|'
      expectObservable(source$.pipe(conflate(6))).toBe(expected, letterEvents)
    })
  })

  it('passes an Rx error through immediately and drops the pending value', () => {
    marbles(({ cold$, expectObservable }) => {
      const source$ = cold$('-ab-#', letterEvents)
      const expected = '     ----#'
      expectObservable(source$.pipe(conflate(6))).toBe(expected)
    })
  })

  it('closes the window and unsubscribes from the source on unsubscribe', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-a------------', letterEvents)
      const subscribed = '  ^--!'
      const expected = '    --------------'
      expectObservable(source$.pipe(conflate(6)), subscribed).toBe(expected)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('has a window for each subscriber', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$(' -a-b----c-----', letterEvents)
      const early = '        ^-------------'
      const expectedEarly = '-----x------z-'
      const late = '         --^-----------'
      const expectedLate = ' -------y----z-'
      const values = { x: window('b', 1), y: window('b', 0), z: window('c', 0) }
      const conflated$ = source$.pipe(conflate(4))
      expectObservable(conflated$, early).toBe(expectedEarly, values)
      expectObservable(conflated$, late).toBe(expectedLate, values)
    })
  })

  it('emits undefined as a value', () => {
    const { values } = collectTimed(() => of(right(undefined)).pipe(conflate(6)))
    expect(values).toEqual([{ at: 0, value: right({ value: undefined, dropped: 0 }) }])
  })

  it('with 0 ms emits the latest value of an event-loop turn', () => {
    const events = [1, 2, 3].map((value) => ({ at: 5, value: right(value) }))
    const { values } = collectTimed(() => timeline$(events).pipe(conflate(0)))
    expect(values).toEqual([{ at: 5, value: right({ value: 3, dropped: 2 }) }])
  })

  it('opens a new window with a value that a handler feeds back', () => {
    const source$ = new Subject<Either<string, string>>()
    const feedBack = (event: Either<string, Conflated<string>>) => {
      if (isRight(event) && event.right.value === 'b') source$.next(letterEvents['c']!)
    }
    const { values } = collectTimed(
      () => source$.pipe(conflate(6), tap(feedBack)),
      () => {
        source$.next(letterEvents['a']!)
        source$.next(letterEvents['b']!)
      },
    )
    expect(values).toEqual([
      { at: 6, value: window('b', 1) },
      { at: 12, value: window('c', 0) },
    ])
  })

  it('continues when a handler throws', async () => {
    const source$ = new Subject<Either<string, string>>()
    const seen: unknown[] = []
    source$.pipe(conflate(0)).subscribe((value) => {
      seen.push(value)
      throw new Error('by the handler')
    })
    source$.next(letterEvents['A']!)
    source$.next(letterEvents['b']!)
    source$.complete()
    expect(seen).toEqual([letterEvents['A'], window('b', 0)])
    await eventually(() => expect(unhandled).toHaveLength(2))
  })

  it('has one timer for any number of values, and none at the end', () => {
    vi.useFakeTimers()
    try {
      const source$ = new Subject<Either<string, string>>()
      source$.pipe(conflate(1000)).subscribe()
      for (let i = 0; i < 1000; i++) source$.next(letterEvents['a']!)
      expect(vi.getTimerCount()).toBe(1)
      vi.advanceTimersByTime(1000)
      expect(vi.getTimerCount()).toBe(0)
      source$.next(letterEvents['a']!)
      source$.complete()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it.each([NaN, Infinity, -Infinity, -1, 2 ** 31, '5' as unknown as number])(
    'throws a ConfigurationError for %s ms',
    (ms) => {
      expect(() => conflate(ms)).toThrow(ConfigurationError)
    },
  )

  it('names the option and the value in the message of the ConfigurationError', () => {
    expect(() => conflate(-1)).toThrow('ms: expected a number of at least 0 and at most 2147483647, got -1')
  })

  it('has the type Conflated of the values', () => {
    const price$ = new Subject<Either<PriceError, Price>>().asObservable()
    expectTypeOf(price$.pipe(conflate(5))).toEqualTypeOf<Observable<Either<PriceError, Conflated<Price>>>>()
  })

  it('matches a simple reference implementation for any events', () => {
    // Events at even times, windows of odd length: no event falls on the end of a window.
    const event = fc.record({ gap: fc.nat(6).map((n) => n * 2), isLeft: fc.boolean() })
    const length = fc.nat(15).map((n) => n * 2 + 1)
    fc.assert(
      fc.property(fc.array(event), length, fc.nat(20), (steps, ms, rest) => {
        let now = 0
        const events = steps.map(({ gap, isLeft }, index): TimedValue<Either<number, number>> => {
          now += gap
          return { at: now, value: isLeft ? { _tag: 'Left', left: index } : right(index) }
        })
        const end = now + rest * 2 + 2
        const { values, completedAt } = collectTimed(() => timeline$(events, end).pipe(conflate(ms)))
        expect(values).toEqual(reference(events, ms, end))
        expect(completedAt).toBe(end)
      }),
    )
  })
})

/** Divides the complete list of events into windows and evaluates each. */
const reference = (events: readonly TimedValue<Either<number, number>>[], ms: number, end: number) => {
  const conflated: TimedValue<Either<number, Conflated<number>>>[] = []
  let rest = events
  for (;;) {
    const first = rest.find((event) => isRight(event.value))
    if (first === undefined) break
    const cut = first.at + ms
    const inside = rest.filter(({ at }) => at < cut)
    const values = inside.filter((event): event is TimedValue<Right<number>> => isRight(event.value))
    const last = inside.at(-1)!.value
    if (isRight(last)) {
      const value = right({ value: last.right, dropped: values.length - 1 })
      conflated.push({ at: Math.min(cut, end), value })
    }
    rest = rest.filter(({ at }) => at >= cut)
  }
  const lefts = events.flatMap(({ at, value }) => (isLeft(value) ? [{ at, value }] : []))
  return [...lefts, ...conflated].sort((a, b) => a.at - b.at)
}
