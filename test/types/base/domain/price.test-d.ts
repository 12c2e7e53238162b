import type { Price } from 'svc-streams'
import { expectTypeOf, test } from 'vitest'

test('Price has these readonly fields', () => {
  expectTypeOf<Price>().toEqualTypeOf<{
    readonly topic: `${string}-0x${string}`
    readonly price: number
    readonly receivedAt: number
    readonly epoch: number
  }>()
})

test('Price rejects an assignment', () => {
  const write = (price: Price) => {
    // @ts-expect-error -- readonly
    price.price = 1
  }
  expectTypeOf(write).returns.toBeVoid()
})
