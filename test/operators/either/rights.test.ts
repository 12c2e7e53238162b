import type { Either } from 'fp-ts/lib/Either.js'
import { of, Subject, take, type Observable } from 'rxjs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Price } from '../../../src/base/domain/price.js'
import type { PriceError } from '../../../src/base/errors/model.js'
import { rights } from '../../../src/operators/index.js'
import { letterEvents } from '../support/timeline.js'
import { marbles } from '../../support/time/marbles.js'

describe('rights', () => {
  it('emits the values and drops the Lefts', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-a-B-c-|', letterEvents)
      const subscribed = '  ^------!'
      const expected = '    -a---c-|'
      expectObservable(source$.pipe(rights())).toBe(expected)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('passes an Rx error through', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('-a-#', letterEvents)
      const expected = '    -a-#'
      expectObservable(source$.pipe(rights())).toBe(expected)
    })
  })

  it('stops reading a synchronous source when its subscriber unsubscribes', () => {
    const seen: string[] = []
    of(letterEvents['a']!, letterEvents['b']!)
      .pipe(rights(), take(1))
      .subscribe((value) => seen.push(value))
    expect(seen).toEqual(['a'])
  })

  it('emits values that a handler feeds back', () => {
    const source$ = new Subject<Either<string, number>>()
    const seen: number[] = []
    source$.pipe(rights()).subscribe((value) => {
      seen.push(value)
      if (value < 3) source$.next({ _tag: 'Right', right: value + 1 })
    })
    source$.next({ _tag: 'Right', right: 1 })
    expect(seen).toEqual([1, 2, 3])
  })

  it('has the value type of the source', () => {
    const price$ = new Subject<Either<PriceError, Price>>().asObservable()
    expectTypeOf(price$.pipe(rights())).toEqualTypeOf<Observable<Price>>()
  })
})
