import type { Address, Topic } from '../base/domain/topic.js'
import type { Depth, DepthSide } from '../base/domain/depth.js'
import { createDepthSide } from '../wire/codec/depth.js'
import type { Price } from '../base/domain/price.js'
import { disconnected as createDisconnected } from '../base/errors/constructors.js'
import type { Disconnected } from '../base/errors/model.js'
import {
  checkedOption,
  nestedOption,
  required,
  stringOption,
  type OptionTable,
} from '../base/option-kinds/option.js'
import { display, parseOptions, type CheckRules } from '../base/option-kinds/parse-options.js'

/** Default `receivedAt` and `timestamp`: 2025-01-01 00:00:00 UTC, in ms since the Unix epoch. */
const defaultTime = 1_735_689_600_000

/**
 * Builds a price like those of a client. Defaults: `receivedAt` is 2025-01-01 00:00:00 UTC, `epoch` is 1. Throws a
 * `ConfigurationError` for a misspelt or an invalid field.
 *
 * @example
 * price('svc-0xab', 12.5) // { topic: 'svc-0xab', price: 12.5, receivedAt: 1735689600000, epoch: 1 }
 */
export const price = (topic: Topic, usd: number, fields: PriceFields = {}): Price => {
  parseOptions(priceTable, fields, rules)
  return { topic, price: usd, receivedAt: defaultTime, epoch: 1, ...fields }
}

type PriceFields = Partial<Pick<Price, 'receivedAt' | 'epoch'>>

/**
 * Builds a depth like those of a client. Defaults: a price of 1 USD, a quantity of 1 unit and 1 USD on each side, `timestamp` and
 * `receivedAt` are 2025-01-01 00:00:00 UTC. Throws a `ConfigurationError` for a misspelt or an invalid field.
 */
export const depth = (mint: Address, fields: DepthFields = {}): Depth => {
  parseOptions(depthTable, fields, rules)
  const { buy = oneUnit, sell = oneUnit, ...others } = fields
  return {
    mint,
    price: 1,
    timestamp: defaultTime,
    buy: createDepthSide(buy),
    sell: createDepthSide(sell),
    receivedAt: defaultTime,
    ...others,
  }
}

type DepthFields = Partial<Omit<Depth, 'mint'>>

const oneUnit: DepthSide = { totalQuantity: 1n, totalQuantityUsd: 1 }

type DisconnectedFields = Omit<Disconnected, '_tag' | 'message'>

/** Builds a `Disconnected` like those of a client. Throws a `ConfigurationError` for a missing or an invalid field. */
export const disconnected = (fields: DisconnectedFields): Disconnected => {
  parseOptions(disconnectedTable, fields, { ...rules, allowsUndefined: true })
  return createDisconnected(fields)
}

const rules: CheckRules = { name: 'fields', format: display }

const finiteNumber = checkedOption<number>('number', {
  expected: 'a finite number',
  holds: Number.isFinite,
})

const priceTable = { receivedAt: finiteNumber, epoch: finiteNumber } satisfies OptionTable<PriceFields>

const side = nestedOption({
  totalQuantity: required(
    checkedOption<bigint>('integer', { expected: 'a bigint', holds: (value) => typeof value === 'bigint' }),
  ),
  totalQuantityUsd: required(finiteNumber),
})

const depthTable = {
  price: finiteNumber,
  timestamp: finiteNumber,
  buy: side,
  sell: side,
  receivedAt: finiteNumber,
} satisfies OptionTable<DepthFields>

const disconnectedTable = {
  code: required(finiteNumber),
  reason: required(stringOption(/^/, 'a string')),
  attempt: required(finiteNumber),
  retryInMs: required(finiteNumber),
} satisfies OptionTable<DisconnectedFields>
