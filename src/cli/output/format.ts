// Numbers and times for a reader. What a program reads is printed as it is.

const format = (options: Intl.NumberFormatOptions): ((value: number) => string) => {
  const formatter = new Intl.NumberFormat('en-US', options)
  return (value) => formatter.format(value)
}

const large = format({ minimumFractionDigits: 2, maximumFractionDigits: 4 })
const small = format({ minimumSignificantDigits: 3, maximumSignificantDigits: 5 })

/** A price, or a difference between two, in USD. */
export const formatPrice = (usd: number): string =>
  usd === 0 || Math.abs(usd) >= 1 ? large(usd) : small(usd)

export const formatUsd = format({ minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** A difference with its sign, so that it is not taken for a price. */
export const formatChange = (usd: number): string => (usd > 0 ? `+${formatPrice(usd)}` : formatPrice(usd))

/** Base-token units as tokens, exactly; as they are where it is not known how many make a token. */
export const formatQuantity = (units: bigint, decimals: number | undefined): string => {
  if (decimals === undefined) return `${units} units`
  const digits = String(units).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

const tokens = format({ maximumSignificantDigits: 6 })
const scientific = new Intl.NumberFormat('en-US', { notation: 'scientific', maximumSignificantDigits: 4 })

/** The same for a narrow column, not to the last digit. */
export const formatQuantityShort = (units: bigint, decimals: number | undefined): string => {
  if (decimals !== undefined) return tokens(Number(units) / 10 ** decimals)
  return units < 1_000_000n ? String(units) : scientific.format(units).toLowerCase()
}

export const formatAge = (ms: number): string => {
  const seconds = Math.max(0, ms) / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`
}

/** A time in ms since the Unix epoch as text that sorts, or the number where it is no time. */
export const formatTime = (at: number): string => {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString()
}
