import { ConfigurationError, type Address, type Topic } from 'svc-streams'
import { depth, disconnected, price } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'

const topic: Topic = 'svc-0xaB'
const mint: Address = '0xaB'
const defaultTime = Date.UTC(2025, 0, 1)
const oneUnit = { totalQuantity: 1n, totalQuantityUsd: 1 }

const failureOf = (build: () => unknown): string => {
  try {
    build()
    return 'accepted'
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ConfigurationError)
    return (thrown as ConfigurationError).message
  }
}

describe('price', () => {
  it('builds a price with a fixed receivedAt and epoch 1', () => {
    expect(price(topic, 12.5)).toEqual({ topic, price: 12.5, receivedAt: defaultTime, epoch: 1 })
  })

  it('accepts another receivedAt and epoch', () => {
    expect(price(topic, 1, { receivedAt: 7, epoch: 3 })).toEqual({ topic, price: 1, receivedAt: 7, epoch: 3 })
    expect(price(topic, 1, { epoch: 0 })).toEqual({ topic, price: 1, receivedAt: defaultTime, epoch: 0 })
  })

  it.each<[unknown, string]>([
    [null, 'fields: expected an object, got null'],
    [{ recievedAt: 5 }, 'recievedAt: did you mean receivedAt?'],
    [{ receivedAt: '5' }, 'receivedAt: expected a finite number, got "5"'],
    [{ epoch: undefined }, 'epoch: is undefined; omit the option or set a value'],
  ])('throws a ConfigurationError for the fields %j', (invalid, message) => {
    expect(failureOf(() => price(topic, 1, invalid as never))).toBe(message)
  })
})

describe('depth', () => {
  it('builds a depth of one unit on each side with fixed times', () => {
    expect(depth(mint)).toEqual({
      mint,
      price: 1,
      timestamp: defaultTime,
      buy: oneUnit,
      sell: oneUnit,
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
    expect(depth(mint, { ...depth('0xcd') })).toEqual({ ...depth(mint), mint: '0xcd' })
  })

  it.each<[unknown, string]>([
    [{ timestmp: 5 }, 'timestmp: did you mean timestamp?'],
    [{ by: oneUnit }, 'by: did you mean buy?'],
    [
      { sell: { totalQuantity: 1n, totalQuantityUSD: 1 } },
      'sell.totalQuantityUSD: did you mean sell.totalQuantityUsd?',
    ],
    [{ buy: { ...oneUnit, totalQuantity: 1 } }, 'buy.totalQuantity: expected a bigint, got 1'],
    [{ buy: 1n }, 'buy: expected an object, got 1n'],
  ])('throws a ConfigurationError for the fields %o', (invalid, message) => {
    expect(failureOf(() => depth(mint, invalid as never))).toBe(message)
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
    [undefined, 'fields: expected an object, got undefined'],
    [{ reason: 'x' }, 'code: expected a finite number, got undefined'],
    [{ ...fields, reason: undefined }, 'reason: expected a string, got undefined'],
    [{ ...fields, attempt: NaN }, 'attempt: expected a finite number, got NaN'],
    [{ code: 1006, reason: '', attempt: 1, retryInMS: 5 }, 'retryInMS: did you mean retryInMs?'],
  ])('throws a ConfigurationError for the fields %j', (invalid, message) => {
    expect(failureOf(() => disconnected(invalid as never))).toBe(message)
  })
})
