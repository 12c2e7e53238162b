import * as t from 'io-ts/lib/index.js'
import { isPriceValue } from '../domain/price.js'
import { NumberLiteral } from './json.js'

// Numbers as deployments write them: a JSON number, or the same as a decimal string.

const decimal = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

const numberOf = (input: unknown): number => {
  if (typeof input === 'number') return input
  if (input instanceof NumberLiteral) return Number(input.text)
  return typeof input === 'string' && decimal.test(input) ? Number(input) : NaN
}

const numeric = (name: string, holds: (value: number) => boolean): t.Type<number> =>
  new t.Type<number>(
    name,
    (value): value is number => typeof value === 'number' && holds(value),
    (input, context) => {
      const value = numberOf(input)
      return holds(value) ? t.success(value) : t.failure(input, context)
    },
    t.identity,
  )

/** A price in USD: finite, above zero; a JSON number and nothing else. */
export const PriceValue = new t.Type<number>(
  'a finite number above 0',
  isPriceValue,
  (input, context) => (isPriceValue(input) ? t.success(input) : t.failure(input, context)),
  t.identity,
)

/** A midpoint price in USD: finite, above zero. */
export const MidpointPrice = numeric('a finite number above 0', isPriceValue)

/** An amount in USD: finite, not negative. */
export const UsdAmount = numeric('a finite number of at least 0', (value) => value >= 0 && value < Infinity)

/** A time in ms since the Unix epoch. */
export const EpochMillis = numeric('an integer number of ms', Number.isSafeInteger)
