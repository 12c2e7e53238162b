import type { Either } from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts/lib/index.js'
import {
  decodeDepth,
  decodeFrame,
  decodePriceText,
  DepthBody,
  parseTopic,
  PriceUpdate,
  SubscriptionConfirmation,
  topicOf,
  type DecodeError,
  type DepthSnapshot,
  type Frame,
  type InvalidTopic,
  type Topic,
} from 'svc-streams'
import { describe, expectTypeOf, test } from 'vitest'

describe('an Either is the result', () => {
  test('of each decoder of text from the service', () => {
    expectTypeOf(decodeDepth).toEqualTypeOf<(text: string) => Either<DecodeError, DepthSnapshot>>()
    expectTypeOf(decodeFrame).toEqualTypeOf<(text: string) => Either<DecodeError, Frame>>()
    expectTypeOf(decodePriceText).toEqualTypeOf<(text: string) => Either<DecodeError, number>>()
  })

  test('of each parser of an argument', () => {
    expectTypeOf(topicOf).returns.toEqualTypeOf<Either<InvalidTopic, Topic>>()
    expectTypeOf(parseTopic).returns.toEqualTypeOf<Either<InvalidTopic, Topic>>()
    expectTypeOf(topicOf).toBeCallableWith('0x82af')
    expectTypeOf(topicOf).toBeCallableWith('0x82af', 'other')
  })
})

test('Frame is a union of exactly these tags', () => {
  expectTypeOf<Frame['_tag']>().toEqualTypeOf<'PriceUpdate' | 'Confirmation' | 'ErrorText'>()
})

test('the codecs are io-ts codecs with these decoded types', () => {
  expectTypeOf<t.TypeOf<typeof PriceUpdate>>().toEqualTypeOf<{ topic: string; price: number }>()
  expectTypeOf<t.TypeOf<typeof SubscriptionConfirmation>>().toEqualTypeOf<{ subscriptions: string[] }>()
  expectTypeOf<t.TypeOf<typeof DepthBody>['buy']['total_quantity']>().toEqualTypeOf<bigint>()
  expectTypeOf(PriceUpdate).toExtend<t.Type<{ topic: string; price: number }>>()
  expectTypeOf(SubscriptionConfirmation).toExtend<t.Type<{ subscriptions: string[] }>>()
  expectTypeOf(DepthBody).toExtend<t.Mixed>()
})
