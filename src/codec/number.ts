import * as t from 'io-ts/lib/index.js'
import { isPriceValue } from '../domain/valid-numbers.js'
import { NumberLiteral } from './json.js'

// Some deployments send a number as a decimal string. Except for `PriceValue`, these codecs accept both forms.

const isAge = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value < Infinity

const decimalPattern = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

const numberOf = (input: unknown): number => {
  if (typeof input === 'number') return input
  if (input instanceof NumberLiteral) return Number(input.text)
  return typeof input === 'string' && decimalPattern.test(input) ? Number(input) : NaN
}

const numberOrDecimalString = (name: string, isValid: (value: number) => boolean): t.Type<number> =>
  new t.Type<number>(
    name,
    (value): value is number => typeof value === 'number' && isValid(value),
    (input, context) => {
      const value = numberOf(input)
      return isValid(value) ? t.success(value) : t.failure(input, context)
    },
    t.identity,
  )

/** io-ts's own number accepts NaN and Infinity. */
export const Finite = new t.Type<number>(
  'a finite number',
  (value): value is number => Number.isFinite(value),
  (value, context) => (Number.isFinite(value) ? t.success(value as number) : t.failure(value, context)),
  t.identity,
)

/** A price in USD, finite and above zero. Accepts a JSON number only. */
export const PriceValue = new t.Type<number>(
  'a finite number above 0',
  isPriceValue,
  (input, context) => (isPriceValue(input) ? t.success(input) : t.failure(input, context)),
  t.identity,
)

/** The age of a price in ms, finite and not negative. Accepts a JSON number only. */
export const PriceAge = new t.Type<number>(
  'a finite number of at least 0',
  (value): value is number => isAge(value),
  (input, context) => (isAge(input) ? t.success(input) : t.failure(input, context)),
  t.identity,
)

/** A midpoint price in USD, finite and above zero. */
export const MidpointPrice = numberOrDecimalString('a finite number above 0', isPriceValue)

/** An amount in USD, finite and not negative. */
export const UsdAmount = numberOrDecimalString(
  'a finite number of at least 0',
  (value) => value >= 0 && value < Infinity,
)

/** A time in ms since the Unix epoch. */
export const EpochMillis = numberOrDecimalString('an integer number of ms', Number.isSafeInteger)
