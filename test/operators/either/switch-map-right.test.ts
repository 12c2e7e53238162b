import * as fc from 'fast-check'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { concatMap, EMPTY, map, NEVER, of, Subject, take, timer, type Observable } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { switchMapRight } from '../../../src/operators/index.js'
import { collectTimed, letterEvents, timeline$, type TimedValue } from '../support/timeline.js'
import { marbles } from '../../support/time/marbles.js'

describe('switchMapRight', () => {
  it('emits the events of the stream of the latest value', () => {
    marbles(({ hot$, cold$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-a----b----|', letterEvents)
      const subscribed = '  ^----------!'
      const inner$ = cold$(' -c-D--e--|', letterEvents)
      const inner1 = '      -^----!'
      const inner2 = '      ------^--------!'
      const expected = '    --c-D--c-D--e--|'
      expectObservable(source$.pipe(switchMapRight(() => inner$))).toBe(expected, letterEvents)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
      expectSubscriptions(inner$.subscriptions).toBe([inner1, inner2])
    })
  })

  it('ends the stream of the latest value at a Left of the source, then emits the Left', () => {
    marbles(({ hot$, cold$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-a----B------a--', letterEvents)
      const subscribed = '  ^---------------!'
      const inner$ = cold$(' -c-d-e-f', letterEvents)
      const inner1 = '      -^----!'
      const inner2 = '      -------------^--!'
      const expected = '    --c-d-B-------c-'
      expectObservable(source$.pipe(switchMapRight(() => inner$)), subscribed).toBe(expected, letterEvents)
      expectSubscriptions(inner$.subscriptions).toBe([inner1, inner2])
    })
  })

  it('emits a Left of an inner stream and continues with that stream', () => {
    marbles(({ cold$, expectObservable }) => {
      const source$ = cold$('-a-----|', letterEvents)
      const inner$ = cold$('  -C-d-C-d-|', letterEvents)
      const expected = '     --C-d-C-d-|'
      expectObservable(source$.pipe(switchMapRight(() => inner$))).toBe(expected, letterEvents)
    })
  })

  it('completes with the source if no inner stream is active', () => {
    marbles(({ cold$, expectObservable }) => {
      const source$ = cold$('-a-B---|', letterEvents)
      const expected = '     ---B---|'
      expectObservable(source$.pipe(switchMapRight(() => NEVER))).toBe(expected, letterEvents)
      expectObservable(source$.pipe(switchMapRight(() => EMPTY))).toBe(expected, letterEvents)
    })
  })

  it('passes an Rx error of the source and of an inner stream through', () => {
    marbles(({ hot$, cold$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('  -a------', letterEvents)
      const subscribed = '    ^--!'
      const inner$ = cold$('   --#', letterEvents)
      const expected = '      ---#'
      const failing$ = cold$('--#', letterEvents)
      const failed = '        --#'
      expectObservable(source$.pipe(switchMapRight(() => inner$))).toBe(expected)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
      expectObservable(failing$.pipe(switchMapRight(() => inner$))).toBe(failed)
    })
  })

  it('emits an exception of the function as an Rx error and ends all streams', () => {
    marbles(({ hot$, cold$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('   -a---b--', letterEvents)
      const subscribed = '     ^----!'
      const inner$ = cold$('    -c-----', letterEvents)
      const innerSubscribed = '-^---!'
      const expected = '       --c--#'
      const failing = (text: string) => {
        if (text === 'b') throw 'thrown' as unknown as Error
        return inner$
      }
      expectObservable(source$.pipe(switchMapRight(failing))).toBe(expected, letterEvents, 'thrown')
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
      expectSubscriptions(inner$.subscriptions).toBe(innerSubscribed)
    })
  })

  it('ends the source and the inner stream on unsubscribe', () => {
    marbles(({ hot$, cold$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('   -a---------', letterEvents)
      const subscribed = '     ^---!'
      const inner$ = cold$('    -c-d------', letterEvents)
      const innerSubscribed = '-^--!'
      const expected = '       --c--------'
      expectObservable(source$.pipe(switchMapRight(() => inner$)), subscribed).toBe(expected, letterEvents)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
      expectSubscriptions(inner$.subscriptions).toBe(innerSubscribed)
    })
  })

  it('ends the inner stream before a handler receives the Left of the source', () => {
    const source$ = new Subject<Either<string, string>>()
    const inner$ = new Subject<Either<string, string>>()
    const observed: boolean[] = []
    source$.pipe(switchMapRight(() => inner$)).subscribe((event) => {
      if (isLeft(event)) observed.push(inner$.observed)
    })
    source$.next(letterEvents['a']!)
    expect(inner$.observed).toBe(true)
    source$.next(letterEvents['B']!)
    expect(observed).toEqual([false])
  })

  it('takes a promise of an event', async () => {
    const seen: unknown[] = []
    const done = new Promise<void>((resolve) =>
      of(letterEvents['a']!)
        .pipe(switchMapRight((text) => Promise.resolve(right(text + text))))
        .subscribe({ next: (event) => seen.push(event), complete: resolve }),
    )
    await done
    expect(seen).toEqual([right('aa')])
  })

  it('stops reading a synchronous source when its subscriber unsubscribes', () => {
    const calls: string[] = []
    of(letterEvents['a']!, letterEvents['b']!)
      .pipe(
        switchMapRight((text) => of(right(calls.push(text)))),
        take(1),
      )
      .subscribe()
    expect(calls).toEqual(['a'])
  })

  it('matches a simple reference implementation for any events', () => {
    const step = fc.record({ gap: fc.integer({ min: 1, max: 9 }), isLeft: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step), fc.array(step, { maxLength: 6 }), (outer, inner) => {
        const events = timed(outer)
        const innerEvents = timed(inner)
        const inner$ = (base: number): Observable<Either<number, number>> =>
          of(...innerEvents).pipe(
            concatMap(({ at, value }, index) =>
              timer(at - (innerEvents[index - 1]?.at ?? 0)).pipe(map(() => shift(value, base))),
            ),
          )
        const { values } = collectTimed(() => timeline$(events).pipe(switchMapRight(inner$)))
        expect(values).toEqual(reference(events, innerEvents))
      }),
    )
  })
})

type Event = TimedValue<Either<number, number>>

/** The value of an event is its index. */
const timed = (steps: readonly { readonly gap: number; readonly isLeft: boolean }[]): readonly Event[] => {
  let at = 0
  return steps.map(({ gap, isLeft }, index) => {
    at += gap
    return { at, value: isLeft ? left(index) : right(index) }
  })
}

const shift = (value: Either<number, number>, base: number): Either<number, number> =>
  isLeft(value) ? left(value.left + 100 * (base + 1)) : right(value.right + 100 * (base + 1))

/** Evaluates the complete list: each Right emits the inner events before the next event of the source. */
const reference = (events: readonly Event[], inner: readonly Event[]): readonly Event[] =>
  events.flatMap(({ at, value }, index) => {
    if (isLeft(value)) return [{ at, value }]
    const next = events[index + 1]?.at ?? Infinity
    return inner
      .map((event) => ({ at: at + event.at, value: shift(event.value, value.right) }))
      .filter((event) => event.at < next)
  })
