import { left, type Either } from 'fp-ts/lib/Either.js'
import { of, retry, Subject, take, type Observable } from 'rxjs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Price } from '../../../src/base/domain/price.js'
import type { PriceError } from '../../../src/base/errors/model.js'
import { orThrow } from '../../../src/operators/index.js'
import { letterEvents } from '../support/timeline.js'
import { marbles } from '../../support/time/marbles.js'

describe('orThrow', () => {
  it('emits the values and fails with the first Left', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-a-b-C-d-|', letterEvents)
      const subscribed = '  ^----!    '
      const expected = '    -a-b-#    '
      expectObservable(source$.pipe(orThrow())).toBe(expected, undefined, 'C')
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('completes with the source', () => {
    marbles(({ hot$, expectObservable }) => {
      const source$ = hot$('-a-b-|', letterEvents)
      const expected = '    -a-b-|'
      expectObservable(source$.pipe(orThrow())).toBe(expected)
    })
  })

  it('fails with the error of the Left as the same object', () => {
    const error = { _tag: 'Timeout', message: 'no complete response within 5 ms', afterMs: 5 } as const
    const thrown: unknown[] = []
    const collect = (e: unknown) => thrown.push(e)
    of(left(error)).pipe(orThrow()).subscribe({ error: collect })
    expect(thrown).toHaveLength(1)
    expect(thrown[0]).toBe(error)
  })

  it('allows retry to resubscribe', () => {
    marbles(({ cold$, expectObservable, expectSubscriptions }) => {
      const source$ = cold$('-a-B', letterEvents)
      const first = '        ^--!'
      const second = '       ---^--!'
      const expected = '     -a--a-#'
      expectObservable(source$.pipe(orThrow(), retry(1))).toBe(expected, undefined, 'B')
      expectSubscriptions(source$.subscriptions).toBe([first, second])
    })
  })

  it('does not fail if its subscriber unsubscribes before a synchronous Left', () => {
    const seen: unknown[] = []
    of(letterEvents['a']!, letterEvents['B']!)
      .pipe(orThrow(), take(1))
      .subscribe({ next: (value) => seen.push(value), error: (error: unknown) => seen.push({ error }) })
    expect(seen).toEqual(['a'])
  })

  it('has the value type of the source', () => {
    const price$ = new Subject<Either<PriceError, Price>>().asObservable()
    expectTypeOf(price$.pipe(orThrow())).toEqualTypeOf<Observable<Price>>()
  })
})
