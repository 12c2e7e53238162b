import type { Either } from 'fp-ts/lib/Either.js'
import { of, Subject, take, type Observable } from 'rxjs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Price } from '../../../src/base/domain/price.js'
import type { PriceError } from '../../../src/base/errors/model.js'
import { lefts } from '../../../src/operators/index.js'
import { letterEvents } from '../support/timeline.js'
import { marbles } from '../../support/time/marbles.js'

describe('lefts', () => {
  it('emits the errors and drops the values', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-a-B-c-D-|', letterEvents)
      const subscribed = '  ^--------!'
      const expected = '    ---B---D-|'
      expectObservable(source$.pipe(lefts())).toBe(expected)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('passes an Rx error through', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('-A-#', letterEvents)
      const expected = '    -A-#'
      expectObservable(source$.pipe(lefts())).toBe(expected)
    })
  })

  it('stops reading a synchronous source when its subscriber unsubscribes', () => {
    const seen: string[] = []
    of(letterEvents['A']!, letterEvents['B']!)
      .pipe(lefts(), take(1))
      .subscribe((error) => seen.push(error))
    expect(seen).toEqual(['A'])
  })

  it('has the error type of the source', () => {
    const price$ = new Subject<Either<PriceError, Price>>().asObservable()
    expectTypeOf(price$.pipe(lefts())).toEqualTypeOf<Observable<PriceError>>()
  })
})
