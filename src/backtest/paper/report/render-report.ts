import { checkedOption, required, withDefault, type OptionTable } from '../../../base/option-kinds/option.js'
import { parseOptions } from '../../../base/option-kinds/parse-options.js'
import type { Account, Equity, Filled, PaperEvent } from '../events.js'
import { summaryOf, summaryTable, type Summary, type SummaryOptions } from '../summary.js'
import { renderChart, type Point } from './chart.js'
import {
  escapeHtml,
  formatDuration,
  formatQuantity,
  formatRatio,
  formatShare,
  formatTime,
  formatUsd,
} from './format.js'
import { style } from './style.js'

export interface ReportOptions extends SummaryOptions {
  readonly title: string
  /** Paragraphs of plain text below the figures, such as the assumptions of the account. Default: none. */
  readonly notes?: readonly string[]
}

const isText = (value: unknown): boolean => typeof value === 'string'

const reportTable = {
  ...summaryTable,
  title: required(checkedOption<string>('string', { expected: 'a text', holds: isText })),
  notes: withDefault(
    checkedOption<readonly string[]>('array', {
      expected: 'a list of texts',
      holds: (value) => Array.isArray(value) && value.every(isText),
    }),
    [],
  ),
} satisfies OptionTable<ReportOptions>

/**
 * A report of the events of a run, as one HTML text that loads nothing: figures, equity and drawdown, the trades on the
 * prices, and a table. Dark and light, for screens of 390 px and for paper. Times are in UTC. Throws a
 * `ConfigurationError` for an invalid value and a misspelt option name.
 *
 * @example
 * import { writeFileSync } from 'node:fs'
 * import type { PaperEvent } from 'svc-streams/paper'
 * const save = (events: readonly PaperEvent[]) =>
 *   writeFileSync('report.html', renderReport(events, { title: 'Mean reversion' }))
 */
export const renderReport = (events: readonly PaperEvent[], options: ReportOptions): string => {
  const { title, notes, sampleMs } = parseOptions(reportTable, options, { allowsUndefined: true })
  const equities = events.filter((event) => event._tag === 'Equity')
  const fills = events.filter((event) => event._tag === 'Filled')
  const account = events.findLast((event) => event._tag === 'Account')
  const [first, last] = [equities[0], equities.at(-1)]
  const range = first && last ? `${formatTime(first.at)} to ${formatTime(last.at)} UTC` : 'no data'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p class="range">${range}</p>
${figures(summaryOf(events, { sampleMs }))}
${notes.map((note) => `<p class="note">${escapeHtml(note)}</p>`).join('\n')}
<h2>Equity</h2>
${renderChart({ title: 'Value of the account, USD', points: equities.map(equityPoint), format: formatUsd })}
${renderChart({ title: 'Drawdown', points: drawdowns(equities), isArea: true, format: formatShare })}
${
  fills.length === 0
    ? ''
    : `<h2>Trades</h2>\n${symbolsOf(fills)
        .map((symbol) => priceChart(symbol, equities, fills))
        .join('\n')}`
}
${fillTable(fills)}
${account === undefined ? '' : positionTable(account)}
${unfilledTable(events)}
</main>
</body>
</html>
`
}

/** Not current: a gap. */
const equityPoint = ({ at, equityUsd, isCurrent }: Equity): Point => ({
  at,
  value: isCurrent ? equityUsd : undefined,
})

const drawdowns = (equities: readonly Equity[]): readonly Point[] => {
  let highest = 0
  return equities.map(({ at, equityUsd }) => {
    highest = Math.max(highest, equityUsd)
    return { at, value: highest > 0 ? (equityUsd - highest) / highest : undefined }
  })
}

const symbolsOf = (fills: readonly Filled[]): readonly string[] => [
  ...new Set(fills.map(({ symbol }) => symbol)),
]

const priceChart = (symbol: string, equities: readonly Equity[], fills: readonly Filled[]): string => {
  const of = (side: Filled['side']) =>
    fills
      .filter((fill) => fill.symbol === symbol && fill.side === side)
      .map(({ at, price }) => ({ at, value: price }))
  return renderChart({
    title: `${symbol}, USD, with buys (round) and sells (square)`,
    points: equities.flatMap(({ at, prices }) => {
      const value = prices[symbol]
      return value === undefined ? [] : [{ at, value }]
    }),
    marks: [
      { className: 'buy', points: of('buy') },
      { className: 'sell', points: of('sell') },
    ],
    format: formatUsd,
  })
}

const figures = (summary: Summary): string => {
  const all: readonly (readonly [string, number | null, (value: number) => string])[] = [
    ['Profit, USD', summary.profitUsd, formatUsd],
    ['Return', summary.returnRatio, formatShare],
    ['Largest drawdown', summary.maxDrawdown, formatShare],
    ['Sharpe', summary.sharpe, formatRatio],
    ['Sortino', summary.sortino, formatRatio],
    ['Exposure', summary.exposure, formatShare],
    ['Trades', summary.trades, formatQuantity],
    ['Win rate', summary.winRate, formatShare],
    ['Fees, USD', summary.feesUsd, formatUsd],
    ['Slippage, USD', summary.slippageUsd, formatUsd],
    ['Turnover, USD', summary.turnoverUsd, formatUsd],
    ['Not current', summary.notCurrentMs, formatDuration],
  ]
  const items = all.map(
    ([name, value, format]) => `<div><dt>${name}</dt><dd>${value === null ? '–' : format(value)}</dd></div>`,
  )
  return `<dl>${items.join('')}</dl>
<p class="note">Sharpe and Sortino are of returns over ${formatDuration(summary.sampleMs)}, not per year. Trades are fills that reduce a position. Not current: the time in which the price of a token that was held was not current. –: the figure has no meaning.</p>`
}

const table = (caption: string, head: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows.length === 0
    ? ''
    : `<h2>${caption}</h2>
<div class="table" role="region" aria-label="${caption}" tabindex="0"><table>
<thead><tr>${head.map((each) => `<th scope="col">${each}</th>`).join('')}</tr></thead>
<tbody>
${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}</tr>`).join('\n')}
</tbody></table></div>`

/** Of a longer list, the first rows. */
const maxRows = 1_000

const fillTable = (fills: readonly Filled[]): string => {
  const rows = fills
    .slice(0, maxRows)
    .map(({ at, id, order, side, symbol, price, valueUsd, feeUsd, slippageUsd }) => [
      formatTime(at),
      symbol,
      side,
      order._tag,
      formatQuantity(valueUsd / price),
      formatUsd(price),
      ...[valueUsd, feeUsd, slippageUsd].map(formatUsd),
      id,
    ])
  const caption = fills.length > maxRows ? `Fills: the first ${maxRows} of ${fills.length}` : 'Fills'
  const head = ['Time, UTC', 'Token', 'Side', 'Order', 'Quantity', 'Price', 'Value', 'Fee', 'Slippage', 'Id']
  return table(caption, head, rows)
}

const positionTable = ({ positions, cashUsd }: Account): string =>
  table(
    'Positions at the end',
    ['Token', 'Base-token units', 'Average price', 'Unrealised, USD'],
    [
      ...positions.map(({ symbol, quantity, averagePrice, unrealisedUsd }) => [
        symbol,
        quantity.toLocaleString('en-US'),
        formatUsd(averagePrice),
        formatUsd(unrealisedUsd),
      ]),
      ['Cash, USD', formatUsd(cashUsd), '', ''],
    ],
  )

/** How many orders were rejected for each reason, and cancelled. */
const unfilledTable = (events: readonly PaperEvent[]): string => {
  const counts = new Map<string, number>()
  for (const event of events) {
    if (event._tag !== 'Rejected' && event._tag !== 'Cancelled') continue
    const reason = event._tag === 'Rejected' ? event.reason : 'cancelled, whole or in part'
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  const rows = [...counts].sort(([, a], [, b]) => b - a).slice(0, 50)
  return table(
    'Orders that were not filled, or in part',
    ['Reason', 'Orders'],
    rows.map(([reason, count]) => [reason, String(count)]),
  )
}
