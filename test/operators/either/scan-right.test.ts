import * as fc from 'fast-check'
import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { of, Subject, take } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { scanRight } from '../../../src/operators/index.js'
import { collectTimed, letterEvents, timeline$, type TimedValue } from '../support/timeline.js'
import { marbles } from '../../support/time/marbles.js'

const append = (state: string, text: string) => state + text

describe('scanRight', () => {
  it('accumulates the values from the seed, and passes the Lefts through', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-a-B-c-d-|', letterEvents)
      const subscribed = '  ^--------!'
      const expected = '    -x-B-y-z-|'
      const values = { x: right('_a'), B: letterEvents['B']!, y: right('_ac'), z: right('_acd') }
      expectObservable(source$.pipe(scanRight(append, '_'))).toBe(expected, values)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('does not emit the seed', () => {
    marbles(({ cold$, expectObservable }) => {
      const source$ = cold$('-A-|', letterEvents)
      const expected = '     -A-|'
      expectObservable(source$.pipe(scanRight(append, '_'))).toBe(expected, letterEvents)
    })
  })

  it('has a state for each subscriber', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$(' -a-b-c-', letterEvents)
      const early = '        ^-------'
      const expectedEarly = '-x-y-z-'
      const late = '         --^-----'
      const expectedLate = ' ---b-w-'
      const text$ = source$.pipe(scanRight(append, ''))
      const values = { x: right('a'), y: right('ab'), z: right('abc'), b: right('b'), w: right('bc') }
      expectObservable(text$, early).toBe(expectedEarly, values)
      expectObservable(text$, late).toBe(expectedLate, values)
    })
  })

  it('passes a Left through as the same object', () => {
    const seen: unknown[] = []
    of(letterEvents['A']!)
      .pipe(scanRight(append, ''))
      .subscribe((event) => seen.push(event))
    expect(seen[0]).toBe(letterEvents['A'])
  })

  it('passes an Rx error through', () => {
    marbles(({ cold$, expectObservable }) => {
      const source$ = cold$('-a-#', letterEvents)
      const expected = '     -a-#'
      expectObservable(source$.pipe(scanRight(append, ''))).toBe(expected, letterEvents)
    })
  })

  it('emits an exception of the function as an Rx error and unsubscribes from the source', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-a-B-c-|', letterEvents)
      const subscribed = '  ^----!  '
      const expected = '    -a-B-#  '
      const failing = (state: string, text: string) => {
        if (text === 'c') throw 'thrown' as unknown as Error
        return state + text
      }
      expectObservable(source$.pipe(scanRight(failing, ''))).toBe(expected, letterEvents, 'thrown')
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('unsubscribes from the source on unsubscribe', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-a---b----', letterEvents)
      const subscribed = '  ^--!      '
      const expected = '    -a--------'
      expectObservable(source$.pipe(scanRight(append, '')), subscribed).toBe(expected, letterEvents)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('stops reading a synchronous source when its subscriber unsubscribes', () => {
    const calls: string[] = []
    of(letterEvents['a']!, letterEvents['b']!)
      .pipe(
        scanRight((count, text) => count + calls.push(text), 0),
        take(1),
      )
      .subscribe()
    expect(calls).toEqual(['a'])
  })

  it('accumulates a value that a handler feeds back after the value that it handles', () => {
    const source$ = new Subject<Either<string, number>>()
    const seen: unknown[] = []
    source$.pipe(scanRight((sum, value) => sum + value, 0)).subscribe((event) => {
      seen.push(event)
      if (isRight(event) && event.right < 3) source$.next(right(1))
    })
    source$.next(right(1))
    expect(seen).toEqual([right(1), right(2), right(3)])
  })

  it('emits the reduction of the values so far, for any events', () => {
    const event = fc.oneof(fc.string().map(right), fc.string().map(left))
    fc.assert(
      fc.property(fc.array(event), fc.string(), (events, seed) => {
        const timed = events.map((value, at): TimedValue<Either<string, string>> => ({ at, value }))
        const { values } = collectTimed(() => timeline$(timed).pipe(scanRight(append, seed)))
        const reduced = timed.map(({ at, value }) => {
          const past = events.slice(0, at + 1).flatMap((each) => (isRight(each) ? [each.right] : []))
          return { at, value: isLeft(value) ? value : right(past.reduce(append, seed)) }
        })
        expect(values).toEqual(reduced)
      }),
    )
  })
})
