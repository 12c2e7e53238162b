// Formats prices and amounts in USD for people. Data for programs has the exact numbers.

/**
 * A price in USD, in plain decimal notation: 4 decimals from 10 USD, 6 decimals below, and 6 significant digits below
 * 0.1 USD. The number of decimals depends only on the magnitude, so that texts of similar prices are equally long.
 */
export const formatPrice = (usd: number): string => {
  const size = Math.abs(usd)
  return size > 0 && size < 0.1 ? sixSignificantDigits(usd) : fixedDecimals(usd, priceDecimals(size))
}

const priceDecimals = (size: number): number => (size >= 10 ? 4 : 6)

/** An amount in USD, in plain decimal notation. */
export const formatUsd = (usd: number): string => fixedDecimals(usd, 2)

/** `toFixed` uses scientific notation from 1e21. Such a number is an integer. */
const fixedDecimals = (value: number, decimals: number): string =>
  Math.abs(value) < 1e21 ? value.toFixed(decimals) : `${BigInt(value)}.${'0'.repeat(decimals)}`

/** For values between -0.1 and 0.1, except 0. `toFixed` has at most 100 decimals. */
const sixSignificantDigits = (value: number): string => {
  const [mantissa = '', exponent] = Math.abs(value).toExponential(5).split('e-')
  const zeros = '0'.repeat(Number(exponent) - 1)
  return `${value < 0 ? '-' : ''}0.${zeros}${mantissa.replace('.', '')}`
}

/** A price difference with the decimals of the price, and with a sign unless it is 0 after rounding. */
export const formatChange = (change: number, price: number): string => {
  const decimals = formatPrice(price).split('.')[1]?.length ?? 0
  const size = fixedDecimals(Math.abs(change), Math.min(decimals, 100))
  return `${/[1-9]/.test(size) ? signOf(change) : ''}${size}`
}

const signOf = (value: number): string => (value > 0 ? '+' : '-')
