import * as t from 'io-ts/lib/index.js'
import { NumberLiteral } from './json.js'

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
  if (input instanceof NumberLiteral) return input.text
  if (typeof input === 'string') return input
  // A float above 2^53 may have lost digits; a smaller integer is exact.
  return typeof input === 'number' && Number.isSafeInteger(input) ? String(input) : undefined
}

/** A quantity in base-token units: an integer of at least 0, exact at any size. Encodes as a decimal string. */
export const Quantity = new t.Type<bigint, string, unknown>(
  'an integer of at least 0',
  (value): value is bigint => typeof value === 'bigint' && value >= 0n,
  (input, context) => {
    const text = textOf(input)
    const quantity = text === undefined ? undefined : parseInteger(text)
    return quantity === undefined ? t.failure(input, context) : t.success(quantity)
  },
  String,
)
