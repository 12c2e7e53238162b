import type { Either } from 'fp-ts/lib/Either.js'
import type { Observable, OperatorFunction } from 'rxjs'
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
  rolling,
  scanRight,
  snapshots,
  switchMapRight,
  tapLeft,
  type Candle,
  type Conflated,
  type Rolling,
  type Snapshot,
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

  test('filterRight is the same, or the type of the guard', () => {
    expectTypeOf(price$.pipe(filterRight((price) => price.price > 0))).toEqualTypeOf<typeof price$>()
    const isFirst = (price: Price): price is Price & { readonly epoch: 1 } => price.epoch === 1
    expectTypeOf(price$.pipe(filterRight(isFirst))).toEqualTypeOf<
      Observable<Either<PriceError, Price & { readonly epoch: 1 }>>
    >()
  })

  test('candles of plain prices has no error', () => {
    expectTypeOf(price$.pipe(rights(), candles(1000))).toEqualTypeOf<Observable<Either<never, Candle>>>()
  })

  test('candles with a fill has the errors of the source', () => {
    expectTypeOf(price$.pipe(candles(1000, { fill: true }))).toEqualTypeOf<
      Observable<Either<PriceError, Candle>>
    >()
  })

  test('snapshots keeps the errors, and has the type of the value', () => {
    expectTypeOf(price$.pipe(snapshots(1000))).toEqualTypeOf<
      Observable<Either<PriceError, Snapshot<Price>>>
    >()
  })

  test('rolling keeps the errors, and takes numbers', () => {
    const number$ = price$.pipe(mapRight((price) => price.price))
    expectTypeOf(number$.pipe(rolling({ count: 20 }))).toEqualTypeOf<
      Observable<Either<PriceError, Rolling>>
    >()
    expectTypeOf(number$.pipe(rolling({ ms: 20 }, { onLeft: 'keep' }))).toEqualTypeOf<
      Observable<Either<PriceError, Rolling>>
    >()
    // @ts-expect-error -- prices are no numbers
    expectTypeOf(price$.pipe(rolling({ count: 20 }))).not.toBeAny()
    // @ts-expect-error -- either count or ms
    expectTypeOf(rolling({ count: 20, ms: 20 })).not.toBeAny()
    // @ts-expect-error -- either count or ms
    expectTypeOf(rolling({})).not.toBeAny()
  })

  test('scanRight has the type of the seed', () => {
    expectTypeOf(price$.pipe(scanRight((sum, price) => sum + price.price, 0))).toEqualTypeOf<
      Observable<Either<PriceError, number>>
    >()
    const seed: readonly Price[] = []
    expectTypeOf(price$.pipe(scanRight((all, price) => [...all, price], seed))).toEqualTypeOf<
      Observable<Either<PriceError, readonly Price[]>>
    >()
  })

  test('switchMapRight has the errors of both streams', () => {
    expectTypeOf(price$.pipe(switchMapRight(() => depth$))).toEqualTypeOf<
      Observable<Either<PriceError | DepthError, Depth>>
    >()
    expectTypeOf(price$.pipe(switchMapRight((price) => (price.price > 0 ? price$ : depth$)))).toEqualTypeOf<
      Observable<Either<PriceError | DepthError, Price | Depth>>
    >()
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

  test('an operator that is declared outside of a pipe is the same', () => {
    const close = mapRight((candle: Candle) => candle.close)
    expectTypeOf(price$.pipe(candles(1000), close, rights())).toEqualTypeOf<Observable<number>>()
    const prices: OperatorFunction<Either<PriceError, Price>, Price> = rights()
    expectTypeOf(price$.pipe(prices)).toEqualTypeOf<Observable<Price>>()
  })

  test('an operator in a function with type parameters has these parameters', () => {
    const generic = <E, A extends { readonly price: number }>(event$: Observable<Either<E, A>>) => {
      const parts: readonly [Observable<E>, Observable<A>, Observable<Either<E | DepthError, Depth>>] = [
        event$.pipe(lefts()),
        event$.pipe(
          filterRight((value) => value.price > 0),
          rights(),
        ),
        event$.pipe(switchMapRight(() => depth$)),
      ]
      return parts
    }
    expectTypeOf(generic(price$)[0]).toEqualTypeOf<Observable<PriceError>>()
  })

  test('an operator may be wider', () => {
    const value$: Observable<Either<PriceError | Error, Price | string>> = price$.pipe(
      filterRight((price) => price.price > 0),
    )
    const tapped$: Observable<Either<PriceError | Error, Price>> = price$.pipe(tapLeft((error) => error._tag))
    expectTypeOf([value$, tapped$]).not.toBeAny()
  })
})

test('an operator in a pipe rejects events of another type', () => {
  // @ts-expect-error -- a string has no price
  expectTypeOf(price$.pipe(mapRight(String), candles(1000))).not.toBeAny()
  // @ts-expect-error -- not an Either
  expectTypeOf(price$.pipe(rights(), lefts())).not.toBeAny()
  // @ts-expect-error -- a predicate of strings
  expectTypeOf(price$.pipe(filterRight((text: string) => text === ''))).not.toBeAny()
  // @ts-expect-error -- a stream of prices instead of Eithers
  expectTypeOf(price$.pipe(switchMapRight(() => price$.pipe(rights())))).not.toBeAny()
  // @ts-expect-error -- PriceError is more than Stale
  expectTypeOf(price$.pipe(tapLeft((error: Stale) => error.last))).not.toBeAny()
})
