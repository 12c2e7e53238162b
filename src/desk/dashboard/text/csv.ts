import { plainDecimal } from '../../../base/domain/plain-decimal.js'
import type { Figures } from '../model/watched-token.js'

const columns: readonly (readonly [
  name: string,
  value: (figures: Figures) => string | number | undefined,
])[] = [
  ['symbol', ({ token }) => token.symbol],
  ['address', ({ token }) => token.address],
  ['state', ({ state }) => state],
  ['price_usd', ({ price }) => price],
  ['change_percent', ({ change }) => change],
  ['age_ms', ({ age }) => age],
  ['prices_per_second', ({ rate }) => rate],
  ['lag_ms', ({ lag }) => lag],
  ['buy_usd', ({ buy }) => buy],
  ['sell_usd', ({ sell }) => sell],
]

/** The rows as CSV by RFC 4180, with all digits and without exponents. What is not known is empty. */
export const csvOf = (rows: readonly Figures[]): string =>
  [columns.map(([name]) => name), ...rows.map((row) => columns.map(([, value]) => cell(value(row))))]
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('')

const cell = (value: string | number | undefined): string => {
  if (typeof value === 'number') return plainDecimal(value)
  if (value === undefined) return ''
  // A spreadsheet takes a text that begins so for a formula.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Name of a file: `prices-2026-11-24T17-02-05Z.csv`. `at`: in ms since the Unix epoch. */
export const csvName = (at: number): string =>
  `prices-${new Date(at).toISOString().replace(/\.\d+/, '').replaceAll(':', '-')}.csv`
