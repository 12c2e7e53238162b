// Exact amounts as integers of fixed units. A number becomes an integer by its shortest decimal text, which has the digits
// that the service or the caller has sent.

/** Digits after the point of a price. Exact for each double of at least 1e-23; the digits beyond are cut off. */
export const priceDigits = 40

/** Digits of a share: basis points have 6 digits after the point. The digits beyond are cut off. */
export const shareDigits = 10

/** 1 as a share. */
export const whole = 10n ** BigInt(shareDigits)

/** A finite number as an integer of units of 10 to the power of `-digits`. */
export const exact = (value: number, digits: number): bigint => {
  const [, sign = '', integer = '', fraction = '', exponent = '0'] = decimal.exec(String(value)) ?? []
  const shift = digits + Number(exponent) - fraction.length
  const all = BigInt(integer + fraction)
  const amount = shift < 0 ? all / powerOfTen(-shift) : all * powerOfTen(shift)
  return sign === '' ? amount : -amount
}

/** A power is the same for most prices of a token. */
const powerOfTen = (digits: number): bigint => (powers[digits] ??= 10n ** BigInt(digits))

const powers: bigint[] = []

const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/

/** A share from basis points. */
export const shareOf = (bps: number): bigint => exact(bps, shareDigits - 4)

/** The closest double of an integer of units of 10 to the power of `-digits`. */
export const toNumber = (amount: bigint, digits: number): number => quotient(amount, powerOfTen(digits))

/** The closest double of a quotient. `divisor` is above 0. Text of so many digits would take ten times as long. */
export const quotient = (dividend: bigint, divisor: bigint): number => {
  if (dividend < 0n) return -quotient(-dividend, divisor)
  const { shift, unit } = dividend >= divisor ? large : dividend * leastSmall >= divisor ? small : smallest
  const scaled = dividend << shift
  const result = scaled / divisor
  // A last digit for the rest keeps a value that is above the middle of two doubles there.
  return Number(result * divisor === scaled ? result : result | 1n) * unit
}

/** A quotient needs more binary digits than a double has: a small one, and the division of large ones, take longer. */
const binaryDigits = (count: number) => ({ shift: BigInt(count), unit: 2 ** -count })
const large = binaryDigits(64)
const small = binaryDigits(192)
const smallest = binaryDigits(960)

/** The inverse of the least quotient that has 64 binary digits when it is scaled by 192 digits. */
const leastSmall = 2n ** 128n

/** The exact decimal text. */
export const decimalText = (amount: bigint, digits: number): string => {
  const text = String(amount < 0n ? -amount : amount).padStart(digits + 1, '0')
  const point = text.length - digits
  return `${amount < 0n ? '-' : ''}${text.slice(0, point)}.${text.slice(point)}`
}

export const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** The inverse of `decimalText`. Digits beyond `digits` are cut off. */
export const parseDecimal = (text: string, digits: number): bigint => {
  const [integer = '', fraction = ''] = text.split('.')
  return BigInt(integer + fraction.slice(0, digits).padEnd(digits, '0'))
}
