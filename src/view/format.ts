import { printable } from '../base/errors/text.js'

/** Text as a part of HTML. */
export const escapeHtml = (text: string): string =>
  printable(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

/** A value as JSON in a script element of HTML. */
export const scriptJson = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c')

/** Decimal text with commas between groups of three digits before the point: `-61,685.9950`. */
export const grouped = (decimal: string): string =>
  decimal.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(?:\d{3})+$)/g, ','))

/** `1,234.50`; small amounts have four significant digits. */
export const formatUsd = (amount: number): string =>
  Math.abs(amount) >= 1 || amount === 0 ? formatNumber(amount, 2) : formatNumber(amount, digitsFor(amount, 4))

/** The digits after the point that a number below 1 needs for so many significant ones. */
const digitsFor = (amount: number, significant: number): number =>
  Math.min(significant - 1 - Math.floor(Math.log10(Math.abs(amount))), 20)

/** At most eight significant digits, without zeros at the end. */
export const formatQuantity = (amount: number, most = 8): string =>
  amount.toLocaleString('en-US', { maximumSignificantDigits: most })

export const formatNumber = (amount: number, digits: number): string =>
  // A rounded -0 is 0.
  (Number(amount.toFixed(digits)) + 0).toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })

/** `-1.25 %`; small shares have two significant digits. */
export const formatShare = (share: number): string =>
  `${formatNumber(share * 100, share === 0 ? 2 : Math.max(2, digitsFor(share * 100, 2)))} %`

/** `2026-11-22 10:00:00.123`, in UTC. */
export const formatTime = (at: number): string =>
  Math.abs(at) <= 8.64e15 ? new Date(at).toISOString().replace('T', ' ').replace('Z', '') : String(at)

/** Without milliseconds. */
export const shortTime = (at: number): string => formatTime(at).slice(0, 19)

/** `14 d`, `3 h 2 min`, `1 min 40 s`, `4.5 s` */
export const formatDuration = (ms: number): string => {
  if (ms < 60_000) return `${formatQuantity(ms / 1_000)} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 3_600)
    return `${Math.floor(seconds / 60)} min${seconds % 60 === 0 ? '' : ` ${seconds % 60} s`}`
  const minutes = Math.round(ms / 60_000)
  const hours = Math.floor(minutes / 60)
  const rounded = Math.round(minutes / 60)
  if (hours >= 24) return `${Math.floor(rounded / 24)} d${rounded % 24 === 0 ? '' : ` ${rounded % 24} h`}`
  return `${hours} h ${minutes % 60} min`
}
