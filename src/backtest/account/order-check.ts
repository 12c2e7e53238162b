import { isPriceValue } from '../../base/domain/valid-numbers.js'
import { describeValue } from '../../base/errors/text.js'
import { oneOf, plainObject, type Check } from '../../base/option-kinds/option.js'

// Strategies in plain JavaScript, and JSON, may return anything. An order that is not valid is rejected with the reason.

/** Why a value is no order; undefined for a valid one. `symbol`: the check of its token. */
export const orderProblem = (value: unknown, symbol: Check = text): string | undefined => {
  const order = fieldsOf(value)
  if (order['_tag'] === 'Cancel') return problemIn(order, { id: text })
  const checks = checksByTag.get(order['_tag'])
  if (checks === undefined) return `expected an order, got ${describeValue(order['_tag'] ?? value)}`
  return problemIn(order, { symbol, ...checks })
}

const problemIn = (
  order: Readonly<Record<string, unknown>>,
  checks: Readonly<Record<string, Check>>,
): string | undefined => {
  for (const [name, { expected, holds }] of Object.entries(checks))
    if (!holds(order[name])) return `${name}: expected ${expected}, got ${describeValue(sizeOf(order[name]))}`
  return undefined
}

/** A size as its number, for a message. */
const sizeOf = (value: unknown): unknown => {
  const { units, usd } = fieldsOf(value)
  return units ?? usd ?? value
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  plainObject.holds(value) ? (value as Readonly<Record<string, unknown>>) : {}

const text: Check = { expected: 'a text', holds: (value) => typeof value === 'string' && value !== '' }
const optional = (check: Check): Check => ({
  ...check,
  holds: (value) => value === undefined || check.holds(value),
})

const sizeCheck = (expected: string, holds: (amount: bigint | number) => boolean): Check => ({
  expected,
  holds: (value) => {
    const { units, usd } = fieldsOf(value)
    if (typeof units === 'bigint') return usd === undefined && holds(units)
    return units === undefined && typeof usd === 'number' && Math.abs(usd) <= 1e15 && holds(usd)
  },
})

const sided = {
  side: oneOf('buy', 'sell'),
  size: sizeCheck('{ units } as a bigint or { usd }, above 0', (amount) => amount > 0),
  id: optional(text),
  rest: optional(oneOf('cancel', 'work')),
}
const price: Check = { expected: 'a price above 0', holds: isPriceValue }

const checksByTag: ReadonlyMap<unknown, Readonly<Record<string, Check>>> = new Map(
  Object.entries<Readonly<Record<string, Check>>>({
    Market: sided,
    Limit: { ...sided, price },
    Stop: { ...sided, price },
    TrailingStop: {
      ...sided,
      bps: {
        expected: 'basis points above 0 and below 10000',
        holds: (value) => typeof value === 'number' && value > 0 && value < 10_000,
      },
    },
    Target: { size: sizeCheck('{ units } as a bigint or { usd }', () => true) },
    ClosePosition: {},
  }),
)
