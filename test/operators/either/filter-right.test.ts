import * as fc from 'fast-check'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { of, Subject, take, tap } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { filterRight } from '../../../src/operators/index.js'
import { collectTimed, letterEvents, timeline$, type TimedValue } from '../support/timeline.js'
import { marbles } from '../../support/time/marbles.js'

const isEarly = (text: string) => text < 'c'

describe('filterRight', () => {
  it('emits the values that pass the predicate, and all Lefts', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-a-d-E-b-A-c-|', letterEvents)
      const subscribed = '  ^------------!'
      const expected = '    -a---E-b-A---|'
      expectObservable(source$.pipe(filterRight(isEarly))).toBe(expected, letterEvents)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('emits the events as the same objects', () => {
    const seen: unknown[] = []
    of(letterEvents['a']!, letterEvents['B']!)
      .pipe(filterRight(isEarly))
      .subscribe((event) => seen.push(event))
    expect(seen[0]).toBe(letterEvents['a'])
    expect(seen[1]).toBe(letterEvents['B'])
  })

  it('does not call the predicate for a Left', () => {
    const calls: string[] = []
    of(letterEvents['A']!, letterEvents['b']!)
      .pipe(filterRight((text) => calls.push(text) > 0))
      .subscribe()
    expect(calls).toEqual(['b'])
  })

  it('passes an Rx error through', () => {
    marbles(({ cold$, expectObservable }) => {
      const source$ = cold$('-a-#', letterEvents)
      const expected = '     -a-#'
      expectObservable(source$.pipe(filterRight(isEarly))).toBe(expected, letterEvents)
    })
  })

  it('emits an exception of the predicate as an Rx error and unsubscribes from the source', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-a-B-c-|', letterEvents)
      const subscribed = '  ^----!  '
      const expected = '    -a-B-#  '
      const failing = (text: string) => {
        if (text === 'c') throw 'thrown' as unknown as Error
        return true
      }
      expectObservable(source$.pipe(filterRight(failing))).toBe(expected, letterEvents, 'thrown')
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('unsubscribes from the source on unsubscribe', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-a---b----', letterEvents)
      const subscribed = '  ^--!      '
      const expected = '    -a--------'
      expectObservable(source$.pipe(filterRight(isEarly)), subscribed).toBe(expected, letterEvents)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('stops reading a synchronous source when its subscriber unsubscribes', () => {
    const pulled: unknown[] = []
    of(letterEvents['d']!, letterEvents['a']!, letterEvents['b']!)
      .pipe(
        tap((event) => pulled.push(event)),
        filterRight(isEarly),
        take(1),
      )
      .subscribe()
    expect(pulled).toHaveLength(2)
  })

  it('emits events that a handler feeds back', () => {
    const source$ = new Subject<Either<string, number>>()
    const seen: unknown[] = []
    source$.pipe(filterRight((value) => value % 2 === 1)).subscribe((event) => {
      seen.push(event)
      if (!isLeft(event)) source$.next(event.right < 4 ? right(event.right + 2) : left('end'))
    })
    source$.next(right(1))
    expect(seen).toEqual([right(1), right(3), right(5), left('end')])
  })

  it('matches a filter of the list of events, for any events', () => {
    const event = fc.oneof(fc.nat(9).map(right), fc.nat(9).map(left))
    fc.assert(
      fc.property(fc.array(event), fc.func(fc.boolean()), (events, predicate) => {
        const timed = events.map((value, at): TimedValue<Either<number, number>> => ({ at, value }))
        const { values } = collectTimed(() => timeline$(timed).pipe(filterRight(predicate)))
        expect(values).toEqual(timed.filter(({ value }) => isLeft(value) || predicate(value.right)))
      }),
    )
  })
})
