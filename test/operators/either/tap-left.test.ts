import type { Either } from 'fp-ts/lib/Either.js'
import { of, Subject, take, type Observable } from 'rxjs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Price } from '../../../src/base/domain/price.js'
import type { PriceError } from '../../../src/base/errors/model.js'
import { rights, tapLeft } from '../../../src/operators/index.js'
import { letterEvents } from '../support/timeline.js'
import { marbles } from '../../support/time/marbles.js'

const ignore = () => undefined

describe('tapLeft', () => {
  it('passes all events through unchanged', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-a-B-c-|', letterEvents)
      const subscribed = '  ^------!'
      const expected = '    -a-B-c-|'
      expectObservable(source$.pipe(tapLeft(ignore))).toBe(expected, letterEvents)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('calls the function with each error before it emits the Left', () => {
    const order: unknown[] = []
    of(letterEvents['a']!, letterEvents['B']!, letterEvents['C']!)
      .pipe(tapLeft((error) => order.push(error)))
      .subscribe((value) => order.push(value))
    expect(order).toEqual([letterEvents['a'], 'B', letterEvents['B'], 'C', letterEvents['C']])
  })

  it('emits an exception of the function as an Rx error and unsubscribes from the source', () => {
    marbles(({ hot$, expectObservable, expectSubscriptions }) => {
      const source$ = hot$('-a-B-c-|', letterEvents)
      const subscribed = '  ^--!    '
      const expected = '    -a-#    '
      const failing = () => {
        throw 'thrown' as unknown as Error
      }
      expectObservable(source$.pipe(tapLeft(failing))).toBe(expected, letterEvents, 'thrown')
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('stops reading a synchronous source when its subscriber unsubscribes', () => {
    const calls: string[] = []
    of(letterEvents['A']!, letterEvents['B']!)
      .pipe(
        tapLeft((error) => calls.push(error)),
        take(1),
      )
      .subscribe()
    expect(calls).toEqual(['A'])
  })

  it('has the type of the source', () => {
    const price$ = new Subject<Either<PriceError, Price>>().asObservable()
    const tapped$ = price$.pipe(
      tapLeft((error) => {
        expectTypeOf(error).toEqualTypeOf<PriceError>()
      }),
    )
    expectTypeOf(tapped$).toEqualTypeOf<Observable<Either<PriceError, Price>>>()
    expectTypeOf(tapped$.pipe(rights())).toEqualTypeOf<Observable<Price>>()
  })
})
