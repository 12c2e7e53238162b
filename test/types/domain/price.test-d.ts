import type { Price } from 'svc-streams'
import { expectTypeOf, test } from 'vitest'

test('a price', () => {
  expectTypeOf<Price>().toEqualTypeOf<{
    readonly topic: `${string}-0x${string}`
    readonly price: number
    readonly receivedAt: number
    readonly epoch: number
  }>()
})

test('a price cannot be written to', () => {
  const write = (price: Price) => {
    // @ts-expect-error -- readonly
    price.price = 1
  }
  expectTypeOf(write).returns.toBeVoid()
})
