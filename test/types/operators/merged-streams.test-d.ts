import type { Either } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { merge, type Observable } from 'rxjs'
import type { Depth, DepthError, Price, PriceError, Stale } from 'svc-streams'
import {
  candles,
  conflate,
  filterRight,
  freshWithin,
  lefts,
  mapRight,
  orThrow,
  rights,
  scanRight,
  switchMapRight,
  tapLeft,
  type Candle,
  type Conflated,
} from 'svc-streams/operators'
import { describe, expectTypeOf, test } from 'vitest'

declare const price$: Observable<Either<PriceError, Price>>
declare const depth$: Observable<Either<DepthError, Depth>>

const both$ = merge(price$, depth$)
type BothError = PriceError | DepthError
type Both = Price | Depth

describe('for merged streams, the type is a union after', () => {
  test('rights, lefts and orThrow', () => {
    expectTypeOf(both$.pipe(rights())).toEqualTypeOf<Observable<Both>>()
    expectTypeOf(both$.pipe(lefts())).toEqualTypeOf<Observable<BothError>>()
    expectTypeOf(both$.pipe(orThrow())).toEqualTypeOf<Observable<Both>>()
    expectTypeOf(pipe(both$, lefts())).toEqualTypeOf<Observable<BothError>>()
  })

  test('mapRight and tapLeft', () => {
    expectTypeOf(
      both$.pipe(
        mapRight((value) => {
          expectTypeOf(value).toEqualTypeOf<Both>()
          return value.price
        }),
      ),
    ).toEqualTypeOf<Observable<Either<BothError, number>>>()
    expectTypeOf(
      both$.pipe(
        tapLeft((error) => {
          expectTypeOf(error).toEqualTypeOf<BothError>()
        }),
      ),
    ).toEqualTypeOf<typeof both$>()
  })

  test('filterRight, also with a type guard', () => {
    expectTypeOf(both$.pipe(filterRight((value) => value.price > 0))).toEqualTypeOf<typeof both$>()
    expectTypeOf(both$.pipe(filterRight((value): value is Depth => 'mint' in value))).toEqualTypeOf<
      Observable<Either<BothError, Depth>>
    >()
  })

  test('scanRight and switchMapRight', () => {
    expectTypeOf(both$.pipe(scanRight((sum, value) => sum + value.price, 0))).toEqualTypeOf<
      Observable<Either<BothError, number>>
    >()
    expectTypeOf(both$.pipe(switchMapRight((value) => ('mint' in value ? price$ : depth$)))).toEqualTypeOf<
      Observable<Either<BothError, Both>>
    >()
    expectTypeOf(price$.pipe(switchMapRight(() => both$))).toEqualTypeOf<
      Observable<Either<BothError, Both>>
    >()
  })

  test('freshWithin, conflate and candles', () => {
    expectTypeOf(both$.pipe(freshWithin(1000))).toEqualTypeOf<Observable<Either<BothError | Stale, Both>>>()
    expectTypeOf(both$.pipe(conflate(250))).toEqualTypeOf<Observable<Either<BothError, Conflated<Both>>>>()
    expectTypeOf(both$.pipe(candles(1000))).toEqualTypeOf<Observable<Either<BothError, Candle>>>()
  })

  test('several operators in one pipe', () => {
    const close$ = both$.pipe(
      freshWithin(500),
      candles(1000),
      filterRight(({ count }) => count > 1),
      mapRight(({ close }) => close),
    )
    expectTypeOf(close$).toEqualTypeOf<Observable<Either<BothError | Stale, number>>>()
  })
})

test('a function over merged streams rejects a field that only one of the values has', () => {
  // @ts-expect-error -- a Depth has no topic
  expectTypeOf(both$.pipe(mapRight((value) => String(value.topic)))).not.toBeAny()
})
