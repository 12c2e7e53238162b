import { pipe } from 'fp-ts/lib/function.js'
import {
  matchError,
  renderError,
  type AnyError,
  type ClientClosed,
  type Disconnected,
  type NetworkError,
  type NotFresh,
  type PriceError,
  type Stale,
} from 'svc-streams'
import type { HistoryError } from 'svc-streams/history'
import type { WriteError } from 'svc-streams/recording'
import type { SweepError } from 'svc-streams/sweep'
import { describe, expectTypeOf, test } from 'vitest'

declare const error: Stale | Disconnected | NetworkError
declare const priceError: PriceError

test('renderError takes the errors of all entry points and no other type', () => {
  expectTypeOf(renderError).toBeCallableWith({} as AnyError | HistoryError | WriteError | SweepError)
  expectTypeOf(renderError).returns.toBeString()
  // @ts-expect-error -- not an error of the library
  renderError(new Error('no'))
})

describe('matchError', () => {
  test('passes each branch its own error type, and returns the union of the results', () => {
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

  test('takes an error that is not a union', () => {
    const closed = {} as ClientClosed
    expectTypeOf(matchError(closed, { ClientClosed: () => true as const })).toEqualTypeOf<true>()
  })

  test('takes the errors of a history', () => {
    const result = matchError({} as HistoryError, { UnknownTopic: (e) => e.topic, _: () => undefined })
    expectTypeOf(result).toEqualTypeOf<string | undefined>()
  })

  test('takes a whole union of the client', () => {
    const noReason = () => 'none' as const
    const result = matchError(priceError, {
      InvalidTopic: noReason,
      SubscriptionRejected: (e) => e.reason.length,
      SubscriptionTimeout: noReason,
      Disconnected: noReason,
      Stale: noReason,
      DecodeError: noReason,
      ClientClosed: noReason,
    })
    expectTypeOf(result).toEqualTypeOf<'none' | number>()
  })

  test('returns a string at the end of a pipe', () => {
    const text = pipe(error, (e) =>
      matchError(e, { Stale: () => '', Disconnected: () => '', NetworkError: () => '' }),
    )
    expectTypeOf(text).toBeString()
  })
})

describe('the case _ of matchError', () => {
  test('takes the errors that have no function of their own', () => {
    const result = matchError(error, {
      Stale: (e) => {
        expectTypeOf(e).toEqualTypeOf<Stale>()
        return e.silentForMs
      },
      _: (e) => {
        expectTypeOf(e).toEqualTypeOf<Disconnected | NetworkError>()
        return e._tag
      },
    })
    expectTypeOf(result).toEqualTypeOf<number | 'Disconnected' | 'NetworkError'>()
  })

  test('takes all errors if it is the only case, and none if each has a function', () => {
    matchError(error, {
      _: (e) => {
        expectTypeOf(e).toEqualTypeOf<Stale | Disconnected | NetworkError>()
      },
    })
    const none = () => undefined
    matchError(error, {
      Stale: none,
      Disconnected: none,
      NetworkError: none,
      _: (e) => {
        expectTypeOf(e).toBeNever()
      },
    })
  })

  test('leaves each member of NotFresh to its function', () => {
    const anyError = {} as AnyError
    matchError(anyError, {
      NotFresh: (e) => {
        expectTypeOf(e).toEqualTypeOf<NotFresh>()
      },
      _: (e) => {
        expectTypeOf(e).toEqualTypeOf<Exclude<AnyError, NotFresh>>()
      },
    })
  })
})

describe('a compile error of matchError occurs for', () => {
  test('a missing branch', () => {
    // @ts-expect-error -- no NetworkError
    matchError(error, { Stale: () => 0, Disconnected: () => 0 })
  })

  test('an unknown tag, with and without _', () => {
    // @ts-expect-error -- Timeout is not an error of the union
    matchError(error, { Stale: () => 0, Timeout: () => 0, _: () => 0 })
    const zero = () => 0
    // @ts-expect-error -- Timeout is not an error of the union
    matchError(error, { Stale: zero, Disconnected: zero, NetworkError: zero, Timeout: zero })
  })

  test('a field of an error that _ does not take', () => {
    // @ts-expect-error -- Stale has a function of its own
    matchError(error, { Stale: () => 0, _: (e) => String(e.silentForMs) })
  })

  test('a case that is not a function', () => {
    // @ts-expect-error -- not a function
    matchError(error, { Stale: 0, _: () => 0 })
    // @ts-expect-error -- possibly undefined
    matchError(error, { Stale: undefined, _: () => 0 })
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
