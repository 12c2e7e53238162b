import { formatQuantity } from '../codec/arguments.js'
import { digitGroups, type DigitGroups } from './digit-groups.js'
import { scientific, shortNumber } from './short-number.js'

/** The exact number of tokens; base-token units if the decimals are unknown. */
export const formatTokens = (units: bigint, decimals: number | undefined): string =>
  decimals === undefined ? `${units} units` : formatQuantity(units, decimals)

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

/** More units, or tokens, are shown in scientific notation. Beyond 1e308, a number would be infinite. */
const [maxUnits, maxTokens] = [1_000_000n, 1_000_000_000n]

/** A rounded quantity for a narrow column. */
export const shortTokens = (units: bigint, decimals: number | undefined): DigitGroups => {
  if (decimals === undefined) return units < maxUnits ? digitGroups(String(units)) : scientific(units)
  const whole = units / 10n ** BigInt(decimals)
  return whole < maxTokens ? shortNumber(Number(units) / 10 ** decimals, fiveDigits) : scientific(whole)
}
