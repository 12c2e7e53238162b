import type { Address, Topic } from 'svc-streams'
import { depth, price } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'

const topic: Topic = 'svc-0xaB'
const mint: Address = '0xaB'
const arrival = Date.UTC(2025, 0, 1)

describe('price', () => {
  it('is a price as a client gives it, that arrived at a fixed time over the first connection', () => {
    expect(price(topic, 12.5)).toEqual({ topic, price: 12.5, receivedAt: arrival, epoch: 1 })
  })

  it('may have arrived at another time, over another connection', () => {
    expect(price(topic, 1, { receivedAt: 7, epoch: 3 })).toEqual({ topic, price: 1, receivedAt: 7, epoch: 3 })
    expect(price(topic, 1, { epoch: 0 })).toEqual({ topic, price: 1, receivedAt: arrival, epoch: 0 })
  })
})

describe('depth', () => {
  it('is a depth as a client gives it, of one unit on each side', () => {
    const side = { totalQuantity: 1n, totalQuantityUsd: 1 }
    expect(depth(mint)).toEqual({
      mint,
      price: 1,
      timestamp: arrival,
      buy: side,
      sell: side,
      receivedAt: arrival,
    })
  })

  it('may differ in each of its fields', () => {
    const rest = {
      price: 2.5,
      timestamp: 3,
      buy: { totalQuantity: 10n ** 30n, totalQuantityUsd: 4 },
      sell: { totalQuantity: 0n, totalQuantityUsd: 0 },
      receivedAt: 5,
    }
    expect(depth(mint, rest)).toEqual({ mint, ...rest })
    expect(depth(mint, { price: 2 })).toEqual({ ...depth(mint), price: 2 })
  })
})
