import { formatQuantity } from '../../codec/arguments/quantity-text.js'
import { escapeUnsafe } from '../../errors/escape-unsafe.js'

// Formats values for people and for text in pipes. JSON output has the exact numbers.

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

export const formatAge = (ms: number): string => {
  const seconds = Math.max(0, ms) / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`
}

/** Hours, minutes and seconds: `1:02:03`. */
export const formatDuration = (ms: number): string => {
  const seconds = Math.floor(Math.max(0, ms) / 1000)
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, '0'))
  return [Math.floor(seconds / 3600), ...parts].join(':')
}

const byteUnits = ['kB', 'MB', 'GB', 'TB'] as const

/** A number of bytes in decimal units: `12.3 kB`. */
export const formatBytes = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} bytes`
  const power = Math.min(byteUnits.length, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** power).toFixed(1)} ${String(byteUnits[power - 1])}`
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
