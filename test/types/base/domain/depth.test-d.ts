import type { Depth, DepthSide, DepthSnapshot } from 'svc-streams'
import { expectTypeOf, test } from 'vitest'

test('DepthSide has a quantity as bigint and USD as number', () => {
  expectTypeOf<DepthSide>().toEqualTypeOf<{
    readonly totalQuantity: bigint
    readonly totalQuantityUsd: number
  }>()
})

test('Depth adds mint and receivedAt to DepthSnapshot', () => {
  expectTypeOf<Depth>().toExtend<DepthSnapshot>()
  expectTypeOf<keyof Depth>().toEqualTypeOf<'mint' | 'price' | 'timestamp' | 'buy' | 'sell' | 'receivedAt'>()
  expectTypeOf<Depth['mint']>().toEqualTypeOf<`0x${string}`>()
})

test('Depth and its sides are readonly', () => {
  const write = (depth: Depth) => {
    // @ts-expect-error -- readonly
    depth.price = 1
    // @ts-expect-error -- readonly
    depth.buy.totalQuantity = 1n
  }
  expectTypeOf(write).returns.toBeVoid()
})
