import type { Address, Topic } from 'svc-streams'
import { depth, price } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'

const topic: Topic = 'svc-0xaB'
const mint: Address = '0xaB'
const defaultTime = Date.UTC(2025, 0, 1)

describe('price', () => {
  it('builds a price with a fixed receivedAt and epoch 1', () => {
    expect(price(topic, 12.5)).toEqual({ topic, price: 12.5, receivedAt: defaultTime, epoch: 1 })
  })

  it('accepts another receivedAt and epoch', () => {
    expect(price(topic, 1, { receivedAt: 7, epoch: 3 })).toEqual({ topic, price: 1, receivedAt: 7, epoch: 3 })
    expect(price(topic, 1, { epoch: 0 })).toEqual({ topic, price: 1, receivedAt: defaultTime, epoch: 0 })
  })
})

describe('depth', () => {
  it('builds a depth of one unit on each side with fixed times', () => {
    const side = { totalQuantity: 1n, totalQuantityUsd: 1 }
    expect(depth(mint)).toEqual({
      mint,
      price: 1,
      timestamp: defaultTime,
      buy: side,
      sell: side,
      receivedAt: defaultTime,
    })
  })

  it('accepts other values for all fields', () => {
    const fields = {
      price: 2.5,
      timestamp: 3,
      buy: { totalQuantity: 10n ** 30n, totalQuantityUsd: 4 },
      sell: { totalQuantity: 0n, totalQuantityUsd: 0 },
      receivedAt: 5,
    }
    expect(depth(mint, fields)).toEqual({ mint, ...fields })
    expect(depth(mint, { price: 2 })).toEqual({ ...depth(mint), price: 2 })
  })
})
