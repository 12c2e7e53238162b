import { formatQuantity } from '../codec/arguments/quantity-text.js'

/** The exact number of tokens; base-token units if the decimals are unknown. */
export const formatTokens = (units: bigint, decimals: number | undefined): string =>
  decimals === undefined ? `${units} units` : formatQuantity(units, decimals)

const maxShortLength = 16

/**
 * A number of a narrow column, with separators between thousands: in scientific notation if it is too long, so that one
 * value does not displace others.
 */
export const shortNumber = (value: number, formatted: (value: number) => string): string => {
  const text = groupThousands(formatted(value))
  return text.length <= maxShortLength ? text : scientificText(value)
}

const groupThousands = (decimal: string): string => decimal.replace(/\B(?<!\.\d*)(?=(?:\d{3})+(?!\d))/g, ',')

/** At least three decimals and five significant digits. The number of decimals depends only on the magnitude. */
const fiveDigits = (value: number): string => fiveDigitFormat.format(value)
const fiveDigitFormat = new Intl.NumberFormat('en-US', {
  minimumFractionDigits: 3,
  maximumFractionDigits: 3,
  minimumSignificantDigits: 5,
  maximumSignificantDigits: 5,
  roundingPriority: 'morePrecision',
  useGrouping: false,
})
const scientific = new Intl.NumberFormat('en-US', { notation: 'scientific', maximumSignificantDigits: 4 })
const scientificText = (value: number | bigint): string => scientific.format(value).toLowerCase()

/** More tokens are shown in scientific notation. Beyond 1e308, a number would be infinite. */
const maxDecimalTokens = 1_000_000_000n

/** A rounded quantity for a narrow column. */
export const formatTokensShort = (units: bigint, decimals: number | undefined): string => {
  if (decimals === undefined) return units < 1_000_000n ? String(units) : scientificText(units)
  const whole = units / 10n ** BigInt(decimals)
  return whole < maxDecimalTokens
    ? shortNumber(Number(units) / 10 ** decimals, fiveDigits)
    : scientificText(whole)
}
