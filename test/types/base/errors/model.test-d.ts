import type {
  AnyError,
  ClientClosed,
  DecodeError,
  DepthError,
  HttpError,
  NetworkError,
  NotFresh,
  Price,
  PriceError,
  PriceRequestError,
  Stale,
  SubscriptionTimeout,
  UncorrelatedError,
  UnsupportedPair,
} from 'svc-streams'
import type { HistoryError } from 'svc-streams/history'
import { describe, expectTypeOf, test } from 'vitest'

type Tag<E extends { readonly _tag: string }> = E['_tag']

describe('a closed union of tags is the type', () => {
  test('PriceError', () => {
    expectTypeOf<Tag<PriceError>>().toEqualTypeOf<
      | 'InvalidTopic'
      | 'SubscriptionRejected'
      | 'SubscriptionTimeout'
      | 'Disconnected'
      | 'Stale'
      | 'DecodeError'
      | 'ClientClosed'
    >()
  })

  test('PriceRequestError', () => {
    expectTypeOf<Tag<PriceRequestError>>().toEqualTypeOf<
      | 'InvalidTopic'
      | 'DecodeError'
      | 'UnsupportedPair'
      | 'HttpError'
      | 'NetworkError'
      | 'Timeout'
      | 'ClientClosed'
    >()
  })

  test('DepthError', () => {
    expectTypeOf<Tag<DepthError>>().toEqualTypeOf<
      | 'InvalidMint'
      | 'InvalidInterval'
      | 'DecodeError'
      | 'UnsupportedPair'
      | 'Unauthorized'
      | 'HttpError'
      | 'NetworkError'
      | 'Timeout'
      | 'ClientClosed'
    >()
  })

  test('AnyError, with the errors of errors$ and of operators', () => {
    expectTypeOf<Tag<AnyError>>().toEqualTypeOf<
      Tag<PriceError | PriceRequestError | DepthError> | 'UncorrelatedError' | 'NotFresh'
    >()
  })

  test('HistoryError', () => {
    expectTypeOf<Tag<HistoryError>>().toEqualTypeOf<
      | 'InvalidTopic'
      | 'InvalidRange'
      | 'UnknownTopic'
      | 'RecordingError'
      | 'DecodeError'
      | 'HttpError'
      | 'NetworkError'
      | 'Timeout'
    >()
  })
})

describe('an error', () => {
  test('has a message', () => {
    expectTypeOf<AnyError['message']>().toEqualTypeOf<string>()
    expectTypeOf<ClientClosed>().toEqualTypeOf<{
      readonly _tag: 'ClientClosed'
      readonly message: string
    }>()
  })

  test('has its optional fields as properties that may be undefined', () => {
    expectTypeOf<Stale['last']>().toEqualTypeOf<Price | undefined>()
    expectTypeOf<Stale['behindMs']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<HttpError['retryAfterMs']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<UnsupportedPair['base']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<NetworkError['cause']['code']>().toEqualTypeOf<string | undefined>()
  })

  test('has readonly arrays', () => {
    expectTypeOf<SubscriptionTimeout['recent']>().toEqualTypeOf<readonly string[]>()
    expectTypeOf<DecodeError['issues']>().toEqualTypeOf<
      readonly { readonly path: string; readonly expected: string; readonly actual: string }[]
    >()
  })

  test('has closed unions as kind and why', () => {
    expectTypeOf<UncorrelatedError['kind']>().toEqualTypeOf<
      'error-text' | 'malformed' | 'unknown-topic' | 'binary'
    >()
    expectTypeOf<NotFresh['why']>().toEqualTypeOf<'missing' | 'left' | 'skew' | 'age'>()
  })

  test('rejects an assignment to each field', () => {
    const write = (error: Stale, timeout: SubscriptionTimeout) => {
      // @ts-expect-error -- readonly
      error.silentForMs = 0
      // @ts-expect-error -- readonly
      error._tag = 'Stale'
      // @ts-expect-error -- readonly
      timeout.recent[0] = ''
    }
    expectTypeOf(write).returns.toBeVoid()
  })
})

test('a check of _tag narrows the type', () => {
  const retry = (error: PriceError): number | undefined =>
    error._tag === 'Disconnected' ? error.retryInMs : undefined
  expectTypeOf(retry).returns.toEqualTypeOf<number | undefined>()

  const narrow = (error: DepthError) => {
    if (error._tag === 'HttpError' || error._tag === 'UnsupportedPair') {
      expectTypeOf(error).toEqualTypeOf<HttpError | UnsupportedPair>()
    }
    // @ts-expect-error -- not an error of depth
    return error._tag === 'Disconnected'
  }
  expectTypeOf(narrow).returns.toBeBoolean()
})
