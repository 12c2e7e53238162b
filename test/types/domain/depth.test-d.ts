import type { Depth, DepthSide, DepthSnapshot } from 'svc-streams'
import { expectTypeOf, test } from 'vitest'

test('quantities are bigint, dollars are numbers', () => {
  expectTypeOf<DepthSide>().toEqualTypeOf<{
    readonly totalQuantity: bigint
    readonly totalQuantityUsd: number
  }>()
})

test('a depth is what the service said, for whom, and when it came', () => {
  expectTypeOf<Depth>().toExtend<DepthSnapshot>()
  expectTypeOf<keyof Depth>().toEqualTypeOf<'mint' | 'price' | 'timestamp' | 'buy' | 'sell' | 'receivedAt'>()
  expectTypeOf<Depth['mint']>().toEqualTypeOf<`0x${string}`>()
})

test('a depth cannot be written to, nor can its sides', () => {
  const write = (depth: Depth) => {
    // @ts-expect-error -- readonly
    depth.price = 1
    // @ts-expect-error -- readonly
    depth.buy.totalQuantity = 1n
  }
  expectTypeOf(write).returns.toBeVoid()
})
