// Exact amounts as integers: no sum of amounts loses a digit. A price is a `number` of the service and becomes an integer
// by its shortest decimal text, which has the digits that the service has sent.

/** USD for one token, in units of 1e-30 USD. Exact for each double of at least 1e-13; a smaller one is rounded down. */
export type UnitPrice = bigint
const priceDecimals = 30

/** An amount in units of 1e-48 USD: a `UnitPrice` times a quantity of up to 18 decimals, without rounding. */
export type Money = bigint
export const maxTokenDecimals = 18
const moneyDecimals = priceDecimals + maxTokenDecimals

/** An amount of basis points, in units of 1e-6 basis points. Finer fractions are rounded down. */
export type BasisPoints = bigint
const basisPointDecimals = 6
const wholeInBasisPoints = 10_000n * 10n ** BigInt(basisPointDecimals)

export const unitPrice = (usd: number): UnitPrice => fromNumber(usd, priceDecimals)
export const money = (usd: number): Money => fromNumber(usd, moneyDecimals)
export const basisPoints = (amount: number): BasisPoints => fromNumber(amount, basisPointDecimals)

/** The value of a quantity, in base-token units of a token with these decimals. */
export const valueOf = (price: UnitPrice, quantity: bigint, decimals: number): Money =>
  price * quantity * 10n ** BigInt(maxTokenDecimals - decimals)

/** The quantity that an amount buys, in base-token units, rounded down. */
export const quantityFor = (amount: Money, price: UnitPrice, decimals: number): bigint =>
  amount / (price * 10n ** BigInt(maxTokenDecimals - decimals))

/** A share of an amount of at least 0, rounded down. */
export const shareOf = (amount: bigint, share: BasisPoints): bigint => (amount * share) / wholeInBasisPoints

/** A share of an amount of at least 0, rounded up to a multiple of `unit`. */
export const shareRoundedUp = (amount: Money, share: BasisPoints, unit: Money): Money => {
  const divisor = wholeInBasisPoints * unit
  return ((amount * share + divisor - 1n) / divisor) * unit
}

/** An amount of USD with a fixed number of digits, such as `-1,234.50`, rounded half away from zero. */
export const formatMoney = (amount: Money, digits = 2): string =>
  withSeparators(rounded(amount, moneyDecimals, digits), digits)

export const formatPrice = (price: UnitPrice, digits = 2): string =>
  withSeparators(rounded(price, priceDecimals, digits), digits)

/** A double close to the amount, for charts and sweeps. */
export const toNumber = (amount: Money): number => Number(amount) / 10 ** moneyDecimals

const fromNumber = (value: number, decimals: number): bigint => {
  const match = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value))
  if (match === null) throw new RangeError(`expected a finite number of at least 0, got ${value}`)
  const [, whole = '', fraction = '', exponent = '0'] = match
  const shift = decimals + Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  return shift < 0 ? digits / 10n ** BigInt(-shift) : digits * 10n ** BigInt(shift)
}

const rounded = (amount: bigint, decimals: number, digits: number): bigint => {
  const unit = 10n ** BigInt(decimals - digits)
  const half = amount < 0n ? -unit / 2n : unit / 2n
  return (amount + half) / unit
}

const withSeparators = (units: bigint, digits: number): string => {
  const text = String(units < 0n ? -units : units).padStart(digits + 1, '0')
  const whole = text.slice(0, text.length - digits).replace(/\B(?=(?:\d{3})+$)/g, ',')
  const fraction = digits === 0 ? '' : `.${text.slice(text.length - digits)}`
  return `${units < 0n ? '-' : ''}${whole}${fraction}`
}
