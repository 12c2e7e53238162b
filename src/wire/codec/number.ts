import * as t from 'io-ts/lib/index.js'
import { isAmount, isPriceValue } from '../../base/domain/valid-numbers.js'
import { guardCodec } from './decode.js'
import { standardCodec } from './standard-schema.js'

// Some deployments send a number as a decimal string. Except for `PriceValue`, these codecs accept both forms.

const decimalPattern = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

const numberOrDecimalString = (name: string, isValid: (value: number) => boolean): t.Type<number> =>
  new t.Type<number>(
    name,
    (value): value is number => typeof value === 'number' && isValid(value),
    (input, context) => {
      const value = typeof input === 'string' && decimalPattern.test(input) ? Number(input) : input
      return typeof value === 'number' && isValid(value) ? t.success(value) : t.failure(input, context)
    },
    t.identity,
  )

/** A price in USD, finite and above zero. Accepts a JSON number only. */
export const PriceValue = standardCodec(guardCodec('a finite number above 0', isPriceValue))

/** The age of a price in ms, finite and not negative. Accepts a JSON number only. */
export const PriceAge = guardCodec(
  'a finite number of at least 0',
  (value): value is number => typeof value === 'number' && isAmount(value),
)

/** A midpoint price in USD, finite and above zero. */
export const MidpointPrice = standardCodec(numberOrDecimalString('a finite number above 0', isPriceValue))

/** An amount in USD, finite and not negative. */
export const UsdAmount = standardCodec(numberOrDecimalString('a finite number of at least 0', isAmount))

/** A time in ms since the Unix epoch. */
export const EpochMillis = standardCodec(
  numberOrDecimalString('an integer number of ms', Number.isSafeInteger),
)

// Leading zeros are not captured, because a long number converts slowly. A mismatch takes linear time.
const literalPattern = /^(-?)0*(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Maximum absolute exponent: a few bytes must not expand to a gigabyte of digits. */
const maxExponent = 1000

/**
 * Parses a decimal number to an exact integer, as in `9336472979533427000`, `1e21` or `1.50e3`. Returns `undefined` if
 * the text is not a number, or the number is not an integer of at least 0.
 */
export const parseInteger = (text: string): bigint | undefined => {
  const match = literalPattern.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', exponentText = '0'] = match
  const exponent = Number(exponentText)
  if (Math.abs(exponent) > maxExponent) return undefined
  const digits = whole + fraction
  const shift = exponent - fraction.length
  if (shift < 0 && !/^0*$/.test(digits.slice(shift))) return undefined
  const quantity = shift < 0 ? BigInt(digits.slice(0, shift)) : BigInt(digits) * 10n ** BigInt(shift)
  return sign === '-' && quantity !== 0n ? undefined : quantity
}

const textOf = (input: unknown): string | undefined => {
  if (typeof input === 'string') return input
  // A float above 2^53 may have lost digits; a smaller integer is exact.
  return typeof input === 'number' && Number.isSafeInteger(input) ? String(input) : undefined
}

/** A quantity in base-token units: an integer of at least 0, exact at any size. Encodes as a decimal string. */
export const Quantity = standardCodec(
  new t.Type<bigint, string, unknown>(
    'an integer of at least 0',
    (value): value is bigint => typeof value === 'bigint' && value >= 0n,
    (input, context) => {
      const text = textOf(input)
      const quantity = text === undefined ? undefined : parseInteger(text)
      return quantity === undefined ? t.failure(input, context) : t.success(quantity)
    },
    String,
  ),
)
