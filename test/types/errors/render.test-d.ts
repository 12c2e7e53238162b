import { pipe } from 'fp-ts/lib/function.js'
import {
  matchError,
  renderError,
  type AnyError,
  type ClientClosed,
  type Disconnected,
  type NetworkError,
  type PriceError,
  type Stale,
} from 'svc-streams'
import { describe, expectTypeOf, test } from 'vitest'

declare const error: Stale | Disconnected | NetworkError
declare const priceError: PriceError

test('renderError takes every error and nothing else', () => {
  expectTypeOf(renderError).parameters.toEqualTypeOf<[error: AnyError]>()
  expectTypeOf(renderError).returns.toBeString()
  // @ts-expect-error -- not an error of the library
  renderError(new Error('no'))
})

describe('matchError', () => {
  test('hands each branch its own error, and returns what the branches return', () => {
    const result = matchError(error, {
      Stale: (e) => {
        expectTypeOf(e).toEqualTypeOf<Stale>()
        return e.silentForMs
      },
      Disconnected: (e) => {
        expectTypeOf(e).toEqualTypeOf<Disconnected>()
        return e.reason
      },
      NetworkError: (e) => {
        expectTypeOf(e).toEqualTypeOf<NetworkError>()
        return undefined
      },
    })
    expectTypeOf(result).toEqualTypeOf<number | string | undefined>()
  })

  test('takes a single error', () => {
    const closed = {} as ClientClosed
    expectTypeOf(matchError(closed, { ClientClosed: () => true as const })).toEqualTypeOf<true>()
  })

  test('takes a union of the client whole', () => {
    const none = () => 'none' as const
    const result = matchError(priceError, {
      InvalidTopic: none,
      SubscriptionRejected: (e) => e.reason.length,
      SubscriptionTimeout: none,
      Disconnected: none,
      Stale: none,
      DecodeError: none,
      ClientClosed: none,
    })
    expectTypeOf(result).toEqualTypeOf<'none' | number>()
  })

  test('works at the end of a pipe', () => {
    const text = pipe(error, (e) =>
      matchError(e, { Stale: () => '', Disconnected: () => '', NetworkError: () => '' }),
    )
    expectTypeOf(text).toBeString()
  })
})

describe('what does not compile', () => {
  test('a branch that is missing', () => {
    // @ts-expect-error -- no NetworkError
    matchError(error, { Stale: () => 0, Disconnected: () => 0 })
  })

  test('a branch that takes another error', () => {
    // @ts-expect-error -- Stale is not Disconnected
    matchError(error, { Stale: (e: Disconnected) => e.code, Disconnected: () => 0, NetworkError: () => 0 })
  })

  test('a field that the error does not have', () => {
    matchError(error, {
      // @ts-expect-error -- Stale has no code
      Stale: (e) => e.code as unknown,
      Disconnected: (e) => e.code,
      NetworkError: (e) => e.cause,
    })
  })
})
