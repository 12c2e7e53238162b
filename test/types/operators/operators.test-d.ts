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

describe('one stream', () => {
  test('rights and lefts take an Either apart', () => {
    expectTypeOf(price$.pipe(rights())).toEqualTypeOf<Observable<Price>>()
    expectTypeOf(price$.pipe(lefts())).toEqualTypeOf<Observable<PriceError>>()
    expectTypeOf(price$.pipe(orThrow())).toEqualTypeOf<Observable<Price>>()
  })

  test('mapRight keeps the errors, tapLeft keeps all', () => {
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

  test('freshWithin adds Stale', () => {
    expectTypeOf(depth$.pipe(freshWithin(1000))).toEqualTypeOf<
      Observable<Either<DepthError | Stale, Depth>>
    >()
  })

  test('conflate and candles change the value', () => {
    expectTypeOf(price$.pipe(conflate(250))).toEqualTypeOf<Observable<Either<PriceError, Conflated<Price>>>>()
    expectTypeOf(price$.pipe(candles(1000))).toEqualTypeOf<Observable<Either<PriceError, Candle>>>()
    expectTypeOf(depth$.pipe(candles(1000))).toEqualTypeOf<Observable<Either<DepthError, Candle>>>()
  })

  test('they line up in a pipe', () => {
    const bar$ = price$.pipe(
      freshWithin(500),
      candles(1000),
      mapRight((candle) => candle.close),
    )
    expectTypeOf(bar$).toEqualTypeOf<Observable<Either<PriceError | Stale, number>>>()
  })
})

describe('combineFresh', () => {
  test('gives a record of the values of its legs', () => {
    const both$ = combineFresh({ price: price$, depth: depth$ }, { maxSkew: 2000 })
    expectTypeOf(both$).toEqualTypeOf<Observable<Either<NotFresh, { price: Price; depth: Depth }>>>()
  })

  test('needs maxSkew', () => {
    // @ts-expect-error -- a skew has no default
    expectTypeOf(combineFresh({ price: price$ })).not.toBeAny()
    // @ts-expect-error -- a number of ms
    expectTypeOf(combineFresh({ price: price$ }, { maxSkew: '2s' })).not.toBeAny()
  })

  test('takes streams of Either alone', () => {
    // @ts-expect-error -- bare values
    expectTypeOf(combineFresh({ price: price$.pipe(rights()) }, { maxSkew: 1 })).not.toBeAny()
  })
})

test('candles take what has a price', () => {
  // @ts-expect-error -- a text has none
  expectTypeOf(price$.pipe(mapRight(String), candles(1000))).not.toBeAny()
})
