import { right, type Either } from 'fp-ts/lib/Either.js'
import { of, Subject, take, type Observable } from 'rxjs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Price } from '../../../src/base/domain/price.js'
import type { PriceError } from '../../../src/base/errors/model.js'
import { mapRight } from '../../../src/operators/index.js'
import { letterEvents } from '../support/timeline.js'
import { marbles } from '../../support/time/marbles.js'

const doubled = (text: string) => text + text

describe('mapRight', () => {
  it('maps the values and passes the Lefts through', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-a-B-c-|', letterEvents)
      const subscribed = '  ^------!'
      const expected = '    -x-B-y-|'
      const values = { x: right('aa'), B: letterEvents['B']!, y: right('cc') }
      expectObservable(source$.pipe(mapRight(doubled))).toBe(expected, values)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('passes a Left through as the same object', () => {
    const seen: unknown[] = []
    of(letterEvents['A']!)
      .pipe(mapRight(doubled))
      .subscribe((value) => seen.push(value))
    expect(seen[0]).toBe(letterEvents['A'])
  })

  it('emits an exception of the function as an Rx error and unsubscribes from the source', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-a-B-c-|', letterEvents)
      const subscribed = '  ^----!  '
      const expected = '    -a-B-#  '
      const failing = (text: string) => {
        if (text === 'c') throw 'thrown' as unknown as Error
        return text
      }
      expectObservable(source$.pipe(mapRight(failing))).toBe(expected, letterEvents, 'thrown')
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('stops reading a synchronous source when its subscriber unsubscribes', () => {
    const calls: string[] = []
    of(letterEvents['a']!, letterEvents['b']!)
      .pipe(
        mapRight((text) => calls.push(text)),
        take(1),
      )
      .subscribe()
    expect(calls).toEqual(['a'])
  })

  it('has the type of the mapped values and the error type of the source', () => {
    const price$ = new Subject<Either<PriceError, Price>>().asObservable()
    const number$ = price$.pipe(mapRight((price) => price.price))
    expectTypeOf(number$).toEqualTypeOf<Observable<Either<PriceError, number>>>()
  })
})
