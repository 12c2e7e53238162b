import type { Either } from 'fp-ts/lib/Either.js'
import { merge, type Observable } from 'rxjs'
import type { Depth, DepthError, NotFresh, Price, PriceError } from 'svc-streams'
import { combineFresh, lefts, rights, type CombineFreshOptions } from 'svc-streams/operators'
import { describe, expectTypeOf, test } from 'vitest'

declare const price$: Observable<Either<PriceError, Price>>
declare const depth$: Observable<Either<DepthError, Depth>>

describe('combineFresh', () => {
  test('emits a record of the values, or the name of a leg with the errors of all legs', () => {
    const both$ = combineFresh({ price: price$, depth: depth$ }, { maxSkew: 2000 })
    expectTypeOf(both$).toEqualTypeOf<
      Observable<Either<NotFresh<'price' | 'depth', PriceError | DepthError>, { price: Price; depth: Depth }>>
    >()
    const one$ = combineFresh({ both: merge(price$, depth$) }, { maxSkew: 2000 })
    expectTypeOf(one$).toEqualTypeOf<
      Observable<Either<NotFresh<'both', PriceError | DepthError>, { both: Price | Depth }>>
    >()
  })

  test('takes a record whose keys are known only at run time', () => {
    const legs = Object.fromEntries(['eth', 'btc'].map((name) => [name, price$]))
    expectTypeOf(combineFresh(legs, { maxSkew: 1 }).pipe(lefts())).toEqualTypeOf<
      Observable<NotFresh<string, PriceError>>
    >()
    const generic = <A extends object>(streams: {
      readonly [K in keyof A]: Observable<Either<unknown, A[K]>>
    }): Observable<Either<NotFresh, A>> => combineFresh(streams, { maxSkew: 1 })
    expectTypeOf(generic({ price: price$ })).toEqualTypeOf<Observable<Either<NotFresh, { price: Price }>>>()
  })

  test('takes the type of the record as an argument', () => {
    interface Prices {
      readonly eth: Price
    }
    expectTypeOf(combineFresh<Prices>({ eth: price$ }, { maxSkew: 1 })).toEqualTypeOf<
      Observable<Either<NotFresh<'eth'>, Prices>>
    >()
  })

  test('requires maxSkew or maxAge', () => {
    // @ts-expect-error -- the limits have no default
    expectTypeOf(combineFresh({ price: price$ })).not.toBeAny()
    // @ts-expect-error -- at least one of both
    expectTypeOf(combineFresh({ price: price$ }, {})).not.toBeAny()
    // @ts-expect-error -- a number of ms
    expectTypeOf(combineFresh({ price: price$ }, { maxSkew: '2s' })).not.toBeAny()
  })

  test('takes a maximum age for all legs, or for some of them', () => {
    const legs = { price: price$, depth: depth$ }
    type Both$ = Observable<
      Either<NotFresh<'price' | 'depth', PriceError | DepthError>, { price: Price; depth: Depth }>
    >
    expectTypeOf(combineFresh(legs, { maxAge: 2000 })).toEqualTypeOf<Both$>()
    expectTypeOf(combineFresh(legs, { maxAge: { depth: 2000 } })).toEqualTypeOf<Both$>()
    expectTypeOf(combineFresh(legs, { maxSkew: 500, maxAge: { depth: 2000 } })).toEqualTypeOf<Both$>()
    expectTypeOf<CombineFreshOptions<'depth'>>().toExtend<CombineFreshOptions>()
    // @ts-expect-error -- not a leg
    expectTypeOf(combineFresh(legs, { maxAge: { deph: 2000 } })).not.toBeAny()
    // @ts-expect-error -- a number of ms
    expectTypeOf(combineFresh(legs, { maxAge: '2s' })).not.toBeAny()
  })

  test('rejects streams of values that are not an Either', () => {
    // @ts-expect-error -- not an Either
    expectTypeOf(combineFresh({ price: price$.pipe(rights()) }, { maxSkew: 1 })).not.toBeAny()
  })
})

describe('NotFresh', () => {
  test('is a union by why', () => {
    const describeFault = (fault: NotFresh<'eth' | 'btc', PriceError>): string => {
      switch (fault.why) {
        case 'missing':
          expectTypeOf(fault.leg).toEqualTypeOf<'eth' | 'btc'>()
          // @ts-expect-error -- no error
          return String(fault.error)
        case 'left':
          expectTypeOf(fault.error).toEqualTypeOf<PriceError>()
          return fault.error.message
        case 'skew':
          expectTypeOf(fault.skewMs).toEqualTypeOf<number>()
          return fault.message
        case 'age':
          expectTypeOf(fault.ageMs).toEqualTypeOf<number>()
          return fault.message
      }
    }
    expectTypeOf(describeFault).returns.toBeString()
  })

  test('takes any leg and any error by default', () => {
    expectTypeOf<NotFresh<'eth', PriceError>>().toExtend<NotFresh>()
    expectTypeOf<NotFresh['leg']>().toEqualTypeOf<string>()
    expectTypeOf<Extract<NotFresh, { why: 'left' }>['error']>().toEqualTypeOf<unknown>()
  })
})
