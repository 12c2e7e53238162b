import type { Observable } from 'rxjs'
import type { Client, Depth, Price } from 'svc-streams'
import { createTestClient, depth, price } from 'svc-streams/testing'
import { expectTypeOf, test } from 'vitest'

declare const price$: Observable<Price>
declare const text$: Observable<string>

test('createTestClient returns a Client', () => {
  expectTypeOf(createTestClient({ prices: { 'svc-0xab': price$ } })).toExtend<Client>()
  expectTypeOf(createTestClient).toBeCallableWith({})
  expectTypeOf(createTestClient).toBeCallableWith({ stamp: true })
  // @ts-expect-error -- not a boolean
  createTestClient({ stamp: 'true' })
  // @ts-expect-error -- not prices
  createTestClient({ prices: { 'svc-0xab': text$ } })
})

test('price and depth return the types that a client emits', () => {
  expectTypeOf(price('svc-0xab', 12.5)).toEqualTypeOf<Price>()
  expectTypeOf(price('svc-0xab', 12.5, { receivedAt: 0 })).toEqualTypeOf<Price>()
  expectTypeOf(depth('0xab', { buy: { totalQuantity: 1n, totalQuantityUsd: 1 } })).toEqualTypeOf<Depth>()
  // @ts-expect-error -- without 0x
  price('svc-ab', 12.5)
  // @ts-expect-error -- a quantity is a bigint
  depth('0xab', { buy: { totalQuantity: 1, totalQuantityUsd: 1 } })
})
