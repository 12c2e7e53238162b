import { digitGroups, withCommas, type DigitGroups } from './digit-groups.js'

const maxLength = 16

/**
 * A number of a narrow column: in scientific notation if it is too long with separators, so that one value does not
 * displace others.
 */
export const shortNumber = (value: number, formatted: (value: number) => string): DigitGroups => {
  const groups = digitGroups(formatted(value))
  return withCommas(groups).length <= maxLength ? groups : scientific(value)
}

/** Five significant digits. */
export const scientific = (value: number | bigint): DigitGroups =>
  digitGroups(scientificFormat.format(value).toLowerCase())

const scientificFormat = new Intl.NumberFormat('en-US', {
  notation: 'scientific',
  maximumSignificantDigits: 5,
})
