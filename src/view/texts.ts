import { grouped } from './format.js'
import { formatQuantity } from '../wire/codec/arguments.js'

// Times, addresses and numbers as text for people.

/** The local time of day: `17:02:05`. `at`: ms since the Unix epoch. */
export const clockTime = (at: number): string => {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':')
}

/** ISO 8601 text of a time in ms since the Unix epoch; the number itself if it is outside the range of dates. */
export const formatTime = (at: number): string => {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString()
}

/** An age for a narrow column, in one unit: `1.5 s`, `12 min`, `3 h`. `ms` below 0 is 0. */
export const formatAge = (ms: number): string => {
  const seconds = Math.max(0, ms) / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`
}

/** A duration in whole units, rounded down: `42 s`, `2 min 05 s`, `1 h 02 min`. `ms` below 0 is 0. */
export const formatSeconds = (ms: number): string => {
  const whole = Math.floor(Math.max(0, ms) / 1000)
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  if (hours > 0) return `${hours} h ${twoDigits(minutes)} min`
  return minutes > 0 ? `${minutes} min ${twoDigits(seconds)} s` : `${seconds} s`
}

/** A length of data: `5 ms`, `0.5 s`, from a minute on in whole units. */
export const formatLength = (ms: number): string => {
  if (ms >= 60_000) return formatSeconds(ms)
  return ms > 0 && ms < 100 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** The first and last digits of a long address. */
export const shortAddress = (address: string): string =>
  address.length <= 13 ? address : `${address.slice(0, 6)}…${address.slice(-4)}`

/** Abbreviates the addresses of a text, which would fill a line. */
export const shortAddresses = (text: string): string => text.replace(/0x[0-9a-f]+/gi, shortAddress)

// Prices, amounts and quantities as text for people, in plain decimal notation. Data for programs has the exact numbers.

const format = (options: Intl.NumberFormatOptions): Intl.NumberFormat =>
  new Intl.NumberFormat('en-US', { useGrouping: false, ...options })

const decimals = (count: number) => ({ minimumFractionDigits: count, maximumFractionDigits: count })

const digits = (count: number) => ({ minimumSignificantDigits: count, maximumSignificantDigits: count })

const [twoDecimals, fourDecimals, sixDecimals] = [
  format(decimals(2)),
  format(decimals(4)),
  format(decimals(6)),
]

const sixDigits = format(digits(6))

/**
 * A price in USD: 4 decimals from 10 USD, 6 decimals below, and 6 significant digits below 0.1 USD. The number of decimals
 * depends only on the magnitude, so that texts of similar prices are equally long.
 */
export const formatPrice = (usd: number): string => {
  const size = Math.abs(usd)
  return (size > 0 && size < 0.1 ? sixDigits : size >= 10 ? fourDecimals : sixDecimals).format(usd)
}

/** An amount in USD. */
export const formatUsd = (usd: number): string => twoDecimals.format(usd)

/** A price difference with the decimals of the price, and with a sign unless it is 0 after rounding. */
export const formatChange = (change: number, price: number): string => {
  const length = formatPrice(price).split('.')[1]?.length ?? 0
  const size = Math.abs(change).toFixed(Math.min(length, 100))
  return `${/[1-9]/.test(size) ? (change > 0 ? '+' : '-') : ''}${size}`
}

/** The exact number of tokens; base-token units if the decimals are unknown. */
export const formatTokens = (units: bigint, decimals: number | undefined): string =>
  decimals === undefined ? `${units} units` : formatQuantity(units, decimals)

const asIs = (decimal: string): string => decimal

/** A number of things in a sentence of a command: `1 row`, `2 rows`. `format`: of the number. */
export const counted = (count: number, one: string, format = asIs): string =>
  `${format(String(count))} ${count === 1 ? one : `${one}s`}`

const maxLength = 16

/** For a narrow column, with separators. Scientific notation if it is too long, so that it does not displace other values. */
export const shortNumber = (value: number, formatted: (value: number) => string): string => {
  const text = grouped(formatted(value))
  return text.length <= maxLength ? text : scientific(value)
}

/** A price in USD for a narrow column. */
export const shortPrice = (usd: number): string => shortNumber(usd, formatPrice)

/** An amount in USD for a narrow column, without cents from 1000 on. */
export const shortAmount = (usd: number): string =>
  shortNumber(usd, (value) => formatUsd(value).replace(value < 1000 ? '' : /\.\d*$/, ''))

/** A rounded quantity for a narrow column, in tokens, or in units if the decimals are unknown: `50.974`, `5.5661 B`. */
export const shortTokens = (units: bigint, decimals: number | undefined): string => {
  const whole = units / 10n ** BigInt(decimals ?? 0)
  const size = whole < 0n ? -whole : whole
  if (size >= 10n ** 15n) return scientific(whole)
  if (size >= 10n ** 6n) return compactFormat.format(whole).replace(/(?=[MBT]$)/, ' ')
  return decimals === undefined
    ? grouped(String(units))
    : shortNumber(Number(units) / 10 ** decimals, (tokens) => fiveDigits.format(tokens))
}

/** Five significant digits, and millions, billions or trillions. */
const compactFormat = format({ notation: 'compact', ...digits(5) })

/** Five significant digits. */
const scientific = (value: number | bigint): string => scientificFormat.format(value).toLowerCase()

const scientificFormat = format({ notation: 'scientific', maximumSignificantDigits: 5 })

/** At least three decimals and five significant digits. The number of decimals depends only on the magnitude. */
const fiveDigits = format({ ...decimals(3), ...digits(5), roundingPriority: 'morePrecision' })
