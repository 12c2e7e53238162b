// Exact fractions: an independent model of the amounts of an account.

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

export const divide = (a: Rational, b: Rational): Rational =>
  b.n < 0n ? rational(-a.n * b.d, a.d * -b.n) : rational(a.n * b.d, a.d * b.n)

export const sum = (all: readonly Rational[]): Rational => all.reduce(add, rational(0n))

/** The largest integer that is not above the fraction. */
export const floor = ({ n, d }: Rational): bigint => (n < 0n ? -ceiling({ n: -n, d }) : n / d)

/** The closest double: the first 120 digits after the point, and a last one for the rest. */
export const toDouble = ({ n, d }: Rational): number => {
  const scale = 10n ** 120n
  const digits = ((n < 0n ? -n : n) * scale) / d
  const rest = ((n < 0n ? -n : n) * scale) % d === 0n ? '' : '1'
  const text = String(digits).padStart(121, '0')
  return Number(`${n < 0n ? '-' : ''}${text.slice(0, -120)}.${text.slice(-120)}${rest}`)
}
