import { escapeUnsafe } from '../../base/errors/text.js'
import { escapeHtml, formatQuantity, formatTime } from '../format.js'
import { chartScript, chartScriptHash, pageStyle } from './built-chart.js'
import { shapesHtml } from '../chart/chart-html.js'

/** A page as one HTML text that loads nothing. `subtitle` and `body`: HTML. `command`: the one that gives the page again. */
export const renderPage = (
  title: string,
  subtitle: string,
  body: string,
  command: string | undefined,
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src '${chartScriptHash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${pageStyle}</style>
</head>
<body>
${shapesHtml}
<main>
<header><h1>${escapeHtml(title)}</h1>
${subtitle}</header>
${body}
${command === undefined ? '' : `<h2>Repeat it</h2>\n<pre><code>${escapeHtml(command)}</code></pre>`}
</main>
<script>${chartScript}</script>
</body>
</html>
`

/** A column of a table: its title, the text of a row, and a definition, which is shown under the pointer. */
export type Column<Row> = readonly [title: string, text: (row: Row) => string, meaning?: string]

/** Of a longer table, the first rows. */
const maxRows = 1_000

/**
 * A table under its title and its number of rows; nothing without rows. It scrolls in place if it is long. Columns of numbers and
 * times are aligned at the right. `saved`: fields of the rows, which a link saves as a CSV file.
 */
export const table = <Row>(
  title: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  saved: readonly (keyof Row & string)[] = [],
): string => {
  if (rows.length === 0) return ''
  const cells = rows.slice(0, maxRows).map((row) => columns.map(([, text]) => text(row)))
  const isNumeric = columns.map((_, index) => cells.every((row) => numeric.test(row[index] ?? '')))
  const cell = (name: string, text: string, index: number): string =>
    `<${name}${isNumeric[index] === true ? ' class="number"' : ''}>${escapeHtml(text)}</${name.slice(0, 2)}>`
  const head = columns.map(([name, , meaning = ''], index) =>
    cell(`th scope="col"${meaning === '' ? '' : ` title="${meaning}"`}`, name, index),
  )
  const lines = cells.map((row) => `<tr>${row.map((text, index) => cell('td', text, index)).join('')}</tr>`)
  const first = rows.length > maxRows ? `the first ${formatQuantity(maxRows)} of ` : ''
  const heading = escapeHtml(`${title}: ${first}${formatQuantity(rows.length)}`)
  return `<h2>${heading}</h2>
<div class="table" role="region" aria-label="${heading}" tabindex="0"><table>
<thead><tr>${head.join('')}</tr></thead>
<tbody>
${lines.join('\n')}
</tbody></table></div>${csvLink(title.toLowerCase(), saved, rows)}`
}

const numeric = /^([-+]?[\d.]|–?$)/

/** Longer tables are not in the page as a file. */
const maxSavedRows = 10_000

/** A link to a file in the page. Its columns have the digits and the units of the rows. */
const csvLink = <Row>(
  name: string,
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): string => {
  if (columns.length === 0 || rows.length > maxSavedRows) return ''
  const textOf = (row: Row, column: keyof Row & string): string => {
    const value = isTime.has(column) ? formatTime(Number(row[column])) : (row[column] ?? '')
    return typeof value === 'string' ? `"${escapeUnsafe(value).replaceAll('"', '""')}"` : String(value)
  }
  const lines = rows.map((row) => columns.map((column) => textOf(row, column)).join(','))
  const text = encodeURIComponent([columns.join(','), ...lines, ''].join('\n'))
  return `\n<p class="note"><a download="${name.replaceAll(' ', '-')}.csv" href="data:text/csv;charset=utf-8,${text}">Save the ${name} as CSV</a></p>`
}

const isTime = new Set(['at', 'decidedAt', 'from', 'to'])
