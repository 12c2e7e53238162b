import { escapeHtml } from './format.js'
import { chartScript, chartScriptHash, pageStyle } from './built-chart.js'
import { shapesHtml } from './chart-html.js'

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

/** A table with its caption as a title; nothing without rows. */
export const table = <Row>(caption: string, columns: readonly Column<Row>[], rows: readonly Row[]): string =>
  rows.length === 0 ? '' : `<h2>${escapeHtml(caption)}</h2>\n${tableOf(caption, columns, rows)}`

/** Scrolls in place if it is long. Columns of numbers and times are aligned at the right. */
export const tableOf = <Row>(
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): string => {
  const cells = rows.map((row) => columns.map(([, text]) => text(row)))
  const isNumeric = columns.map((_, index) => cells.every((row) => numeric.test(row[index] ?? '')))
  const cell = (name: string, text: string, index: number): string =>
    `<${name}${isNumeric[index] === true ? ' class="number"' : ''}>${escapeHtml(text)}</${name.slice(0, 2)}>`
  const head = columns.map(([title, , meaning = ''], index) =>
    cell(`th scope="col"${meaning === '' ? '' : ` title="${meaning}"`}`, title, index),
  )
  const lines = cells.map((row) => `<tr>${row.map((text, index) => cell('td', text, index)).join('')}</tr>`)
  return `<div class="table" role="region" aria-label="${escapeHtml(caption)}" tabindex="0"><table>
<thead><tr>${head.join('')}</tr></thead>
<tbody>
${lines.join('\n')}
</tbody></table></div>`
}

const numeric = /^([-+]?[\d.]|–?$)/
