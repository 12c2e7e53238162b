import type { StandardSchemaV1 } from '@standard-schema/spec'
import {
  DepthBody,
  DepthSideBody,
  EpochMillis,
  MidpointPrice,
  PriceUpdate,
  PriceValue,
  Quantity,
  SubscriptionConfirmation,
  UsdAmount,
} from 'svc-streams'
import { expectTypeOf, test } from 'vitest'

interface Side {
  readonly total_quantity: string
  readonly total_quantity_usd: number
}

test('each codec is a schema of the specification, with the form on the wire as its input', () => {
  expectTypeOf(PriceUpdate).toExtend<StandardSchemaV1<{ topic: string; price: number }>>()
  expectTypeOf(SubscriptionConfirmation).toExtend<StandardSchemaV1<{ subscriptions: string[] }>>()
  expectTypeOf(DepthBody).toExtend<
    StandardSchemaV1<{ price: number; timestamp: number; buy: Side; sell: Side }, object>
  >()
  expectTypeOf(DepthSideBody).toExtend<
    StandardSchemaV1<Side, { total_quantity: bigint; total_quantity_usd: number }>
  >()
  expectTypeOf(Quantity).toExtend<StandardSchemaV1<string, bigint>>()
  expectTypeOf(PriceValue).toExtend<StandardSchemaV1<number>>()
  expectTypeOf(MidpointPrice).toExtend<StandardSchemaV1<number>>()
  expectTypeOf(UsdAmount).toExtend<StandardSchemaV1<number>>()
  expectTypeOf(EpochMillis).toExtend<StandardSchemaV1<number>>()
})

test('the specification infers the types of a codec', () => {
  expectTypeOf<StandardSchemaV1.InferInput<typeof Quantity>>().toEqualTypeOf<string>()
  expectTypeOf<StandardSchemaV1.InferOutput<typeof Quantity>>().toEqualTypeOf<bigint>()
  expectTypeOf<StandardSchemaV1.InferOutput<typeof PriceUpdate>>().toEqualTypeOf<{
    topic: string
    price: number
  }>()
})
