import { ConfigurationError, type Address, type Topic } from 'svc-streams'
import { depth, disconnected, price } from 'svc-streams/testing'
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

describe('disconnected', () => {
  const fields = { code: 1006, reason: 'reset', attempt: 1, retryInMs: 250 }

  it('builds the error of a client', () => {
    expect(disconnected(fields)).toEqual({
      _tag: 'Disconnected',
      message: 'connection down (1006: reset); attempt 2 in 250 ms',
      ...fields,
    })
  })

  it.each<[unknown, string]>([
    [undefined, 'fields: expected an object'],
    [{ reason: 'x' }, 'code: expected a finite number'],
    [{ ...fields, reason: undefined }, 'reason: expected a string'],
    [{ ...fields, attempt: NaN }, 'attempt: expected a finite number'],
    [{ code: 1006, reason: '', attempt: 1, retryInMS: 5 }, 'retryInMS: did you mean retryInMs?'],
  ])('throws a ConfigurationError for the fields %j', (invalid, message) => {
    const build = () => disconnected(invalid as never)
    expect(build).toThrow(ConfigurationError)
    expect(build).toThrow(message)
  })
})
