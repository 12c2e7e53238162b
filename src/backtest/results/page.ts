import { escapeHtml } from './format.js'
import { script, scriptHash } from './script.js'
import { style } from './style.js'

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
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src '${scriptHash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<svg class="shapes" aria-hidden="true"><path id="buy" d="M0 0L-6 10H6Z"/><path id="sell" d="M0 0L-6-10H6Z"/></svg>
<main>
<header><h1>${escapeHtml(title)}</h1>
${subtitle}</header>
${body}
${command === undefined ? '' : `<h2>Repeat it</h2>\n<pre><code>${escapeHtml(command)}</code></pre>`}
</main>
<script>${script}</script>
</body>
</html>
`

/** A table with its caption as a title; nothing without rows. */
export const table = (
  caption: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string => (rows.length === 0 ? '' : `<h2>${caption}</h2>\n${tableOf(caption, head, rows)}`)

/** Scrolls in place if it is long. */
export const tableOf = (
  caption: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string =>
  `<div class="table" role="region" aria-label="${caption}" tabindex="0"><table>
<thead><tr>${head.map((each) => `<th scope="col">${each}</th>`).join('')}</tr></thead>
<tbody>
${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`).join('\n')}
</tbody></table></div>`
