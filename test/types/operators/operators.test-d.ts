import type { Either } from 'fp-ts/lib/Either.js'
import type { Observable } from 'rxjs'
import type { Depth, DepthError, NotFresh, Price, PriceError, Stale } from 'svc-streams'
import {
  candles,
  combineFresh,
  conflate,
  freshWithin,
  lefts,
  mapRight,
  orThrow,
  rights,
  tapLeft,
  type Candle,
  type Conflated,
} from 'svc-streams/operators'
import { describe, expectTypeOf, test } from 'vitest'

declare const price$: Observable<Either<PriceError, Price>>
declare const depth$: Observable<Either<DepthError, Depth>>

describe('the type after', () => {
  test('rights, lefts and orThrow is one side of the Either', () => {
    expectTypeOf(price$.pipe(rights())).toEqualTypeOf<Observable<Price>>()
    expectTypeOf(price$.pipe(lefts())).toEqualTypeOf<Observable<PriceError>>()
    expectTypeOf(price$.pipe(orThrow())).toEqualTypeOf<Observable<Price>>()
  })

  test('mapRight keeps the errors, and after tapLeft the whole event', () => {
    expectTypeOf(price$.pipe(mapRight((price) => price.price))).toEqualTypeOf<
      Observable<Either<PriceError, number>>
    >()
    expectTypeOf(
      price$.pipe(
        tapLeft((error) => {
          expectTypeOf(error).toEqualTypeOf<PriceError>()
        }),
      ),
    ).toEqualTypeOf<Observable<Either<PriceError, Price>>>()
  })

  test('freshWithin includes Stale', () => {
    expectTypeOf(depth$.pipe(freshWithin(1000))).toEqualTypeOf<
      Observable<Either<DepthError | Stale, Depth>>
    >()
  })

  test('conflate and candles has another value', () => {
    expectTypeOf(price$.pipe(conflate(250))).toEqualTypeOf<Observable<Either<PriceError, Conflated<Price>>>>()
    expectTypeOf(price$.pipe(candles(1000))).toEqualTypeOf<Observable<Either<PriceError, Candle>>>()
    expectTypeOf(depth$.pipe(candles(1000))).toEqualTypeOf<Observable<Either<DepthError, Candle>>>()
  })

  test('several operators in one pipe combines their types', () => {
    const bar$ = price$.pipe(
      freshWithin(500),
      candles(1000),
      mapRight((candle) => candle.close),
    )
    expectTypeOf(bar$).toEqualTypeOf<Observable<Either<PriceError | Stale, number>>>()
  })
})

describe('combineFresh', () => {
  test('emits a record of the values of its legs', () => {
    const both$ = combineFresh({ price: price$, depth: depth$ }, { maxSkew: 2000 })
    expectTypeOf(both$).toEqualTypeOf<Observable<Either<NotFresh, { price: Price; depth: Depth }>>>()
  })

  test('requires maxSkew', () => {
    // @ts-expect-error -- a skew has no default
    expectTypeOf(combineFresh({ price: price$ })).not.toBeAny()
    // @ts-expect-error -- a number of ms
    expectTypeOf(combineFresh({ price: price$ }, { maxSkew: '2s' })).not.toBeAny()
  })

  test('rejects streams of values that are not an Either', () => {
    // @ts-expect-error -- not an Either
    expectTypeOf(combineFresh({ price: price$.pipe(rights()) }, { maxSkew: 1 })).not.toBeAny()
  })
})

test('candles requires values with a price', () => {
  // @ts-expect-error -- a string has no price
  expectTypeOf(price$.pipe(mapRight(String), candles(1000))).not.toBeAny()
})
