import { escapeUnsafe } from '../../errors/escape-unsafe.js'

// Formats values for people. Values for programs are printed unrounded.

const format = (options: Intl.NumberFormatOptions): ((value: number) => string) => {
  const formatter = new Intl.NumberFormat('en-US', options)
  return (value) => formatter.format(value)
}

const large = format({ minimumFractionDigits: 2, maximumFractionDigits: 4 })
const small = format({ minimumSignificantDigits: 3, maximumSignificantDigits: 5 })

/** A price or a price difference in USD. */
export const formatPrice = (usd: number): string =>
  usd === 0 || Math.abs(usd) >= 1 ? large(usd) : small(usd)

export const formatUsd = format({ minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** A price difference, always with a sign unless it is 0. */
export const formatChange = (usd: number): string => (usd > 0 ? `+${formatPrice(usd)}` : formatPrice(usd))

/** The exact number of tokens; base-token units if the decimals are unknown. */
export const formatQuantity = (units: bigint, decimals: number | undefined): string => {
  if (decimals === undefined) return `${units} units`
  const digits = String(units).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

const maxShortLength = 16

/** A text of a narrow column: in scientific notation if it is too long, so that one value does not displace others. */
export const shortNumber = (value: number, formatted: (value: number) => string): string => {
  const text = formatted(value)
  return text.length <= maxShortLength ? text : scientificText(value)
}

const sixDigits = format({ maximumSignificantDigits: 6 })
const scientific = new Intl.NumberFormat('en-US', { notation: 'scientific', maximumSignificantDigits: 4 })
const scientificText = (value: number | bigint): string => scientific.format(value).toLowerCase()

/** More tokens are shown in scientific notation. Beyond 1e308, a number would be infinite. */
const maxDecimalTokens = 1_000_000_000n

/** A rounded quantity for a narrow column. */
export const formatQuantityShort = (units: bigint, decimals: number | undefined): string => {
  if (decimals === undefined) return units < 1_000_000n ? String(units) : scientificText(units)
  const whole = units / 10n ** BigInt(decimals)
  return whole < maxDecimalTokens
    ? shortNumber(Number(units) / 10 ** decimals, sixDigits)
    : scientificText(whole)
}

export const formatAge = (ms: number): string => {
  const seconds = Math.max(0, ms) / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`
}

/** ISO 8601 text of a time in ms since the Unix epoch; the number itself if it is outside the range of dates. */
export const formatTime = (at: number): string => {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString()
}

/** The value as indented JSON. A bigint becomes a decimal string, so that no reader loses digits. */
export const formatJson = (value: object): string =>
  escapeUnsafe(
    JSON.stringify(value, (_key, field: unknown) => (typeof field === 'bigint' ? String(field) : field), 2),
  )
