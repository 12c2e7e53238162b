import * as t from 'io-ts/lib/index.js'
import { isAddress, type Address } from '../domain/address.js'
import type { Depth } from '../domain/depth.js'
import type { Price } from '../domain/price.js'
import type { ConnectionStatus } from '../domain/status.js'
import { isTopicOfAny, type Topic } from '../domain/topic.js'
import { PriceValue, UsdAmount } from './number.js'
import { Quantity } from './quantity.js'

// The library's own values as JSON: what a recording keeps of them.

/** Of any service. */
export const RecordedTopic = new t.Type<Topic, string, unknown>(
  'a topic',
  isTopicOfAny,
  (input, context) => (isTopicOfAny(input) ? t.success(input) : t.failure(input, context)),
  t.identity,
)

export const RecordedAddress = new t.Type<Address, string, unknown>(
  'an address',
  isAddress,
  (input, context) => (isAddress(input) ? t.success(input) : t.failure(input, context)),
  t.identity,
)

const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value)

/** JSON has a text for a negative zero, which its writer does not use. */
export const Finite = new t.Type<number>(
  'a number',
  isFiniteNumber,
  (input, context) => {
    if (input === '-0') return t.success(-0)
    return isFiniteNumber(input) ? t.success(input) : t.failure(input, context)
  },
  t.identity,
)

export const RecordedPrice: t.Type<Price, unknown> = t.strict(
  { topic: RecordedTopic, price: PriceValue, receivedAt: Finite, epoch: Finite },
  'a price',
)

const side = t.strict({ totalQuantity: Quantity, totalQuantityUsd: UsdAmount }, 'a side')

export const RecordedDepth: t.Type<Depth, unknown> = t.strict(
  {
    mint: RecordedAddress,
    price: PriceValue,
    timestamp: Finite,
    buy: side,
    sell: side,
    receivedAt: Finite,
  },
  'a depth',
)

export const RecordedStatus: t.Type<ConnectionStatus, unknown> = t.union(
  [
    t.strict({ _tag: t.literal('Idle') }),
    t.strict({ _tag: t.literal('Connecting'), attempt: Finite }),
    t.strict({ _tag: t.literal('Open'), epoch: Finite, since: Finite }),
    t.strict({ _tag: t.literal('Waiting'), attempt: Finite, retryInMs: Finite, reason: t.string }),
    t.strict({ _tag: t.literal('Closed') }),
  ],
  'a status',
)
