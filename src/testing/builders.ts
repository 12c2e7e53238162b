import type { Address } from '../domain/address.js'
import type { Depth } from '../domain/depth.js'
import type { Price } from '../domain/price.js'
import type { Topic } from '../domain/topic.js'

/** When built values arrived, unless a test says otherwise: 2025-01-01 00:00:00 UTC, in ms since the Unix epoch. */
const arrival = 1_735_689_600_000

/**
 * A price as a client would give it.
 *
 * @example
 * price('svc-0xab', 12.5) // { topic: 'svc-0xab', price: 12.5, receivedAt: 1735689600000, epoch: 1 }
 */
export const price = (
  topic: Topic,
  usd: number,
  rest: Partial<Pick<Price, 'receivedAt' | 'epoch'>> = {},
): Price => ({ topic, price: usd, receivedAt: arrival, epoch: 1, ...rest })

/** A depth as a client would give it: a price of 1 USD, one unit of quantity on each side, unless said otherwise. */
export const depth = (mint: Address, rest: Partial<Omit<Depth, 'mint'>> = {}): Depth => ({
  mint,
  price: 1,
  timestamp: arrival,
  buy: { totalQuantity: 1n, totalQuantityUsd: 1 },
  sell: { totalQuantity: 1n, totalQuantityUsd: 1 },
  receivedAt: arrival,
  ...rest,
})
