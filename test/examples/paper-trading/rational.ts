// Exact fractions: an independent model of the amounts of the example.

export interface Rational {
  readonly n: bigint
  /** Above 0. */
  readonly d: bigint
}

export const rational = (n: bigint, d = 1n): Rational => ({ n, d })

/** The number that the shortest decimal text of a double denotes. */
export const fromDouble = (value: number): Rational => {
  const [mantissa = '', exponent = ''] = value.toExponential().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const power = Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  return power < 0 ? rational(digits, 10n ** BigInt(-power)) : rational(digits * 10n ** BigInt(power))
}

export const add = (a: Rational, b: Rational): Rational => rational(a.n * b.d + b.n * a.d, a.d * b.d)
export const negate = (a: Rational): Rational => rational(-a.n, a.d)
export const subtract = (a: Rational, b: Rational): Rational => add(a, negate(b))
export const multiply = (a: Rational, b: Rational): Rational => rational(a.n * b.n, a.d * b.d)
export const isEqual = (a: Rational, b: Rational): boolean => a.n * b.d === b.n * a.d
export const isLess = (a: Rational, b: Rational): boolean => a.n * b.d < b.n * a.d
export const absolute = (a: Rational): Rational => rational(a.n < 0n ? -a.n : a.n, a.d)

/** The smallest integer that is not below the fraction; of a fraction of at least 0. */
export const ceiling = ({ n, d }: Rational): bigint => (n % d === 0n ? n / d : n / d + 1n)
