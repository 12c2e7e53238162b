import { required, stringOption, type OptionTable } from '../../base/option-kinds/option.js'
import { listOption, recordOption } from '../option-kinds.js'
import { parseOptions } from '../../base/option-kinds/parse-options.js'
import type { Filled, PaperEvent } from '../account/events.js'
import type { Mark } from '../../view/chart/chart.js'
import type { ChartData, Span } from '../../view/chart/chart-data.js'
import type { Point } from './curve.js'
import { figureHtml } from '../../view/page/figure.js'
import type { Summary } from './figures.js'
import { escapeHtml, formatDuration, formatQuantity, formatUsd, shortTime } from '../../view/format.js'
import { renderPage } from '../../view/page/page.js'
import {
  figureList,
  roundTripTable,
  unfilledTable,
  windowTable,
  type ReportWindows,
} from './report-tables.js'
import { RunFold, type RunTrades } from './run-fold.js'
import { summaryTable, type SummaryOptions } from './summary.js'

export interface ReportOptions extends SummaryOptions {
  readonly title: string
  /** Paragraphs of plain text at the end, such as the assumptions of the account. Default: none. */
  readonly notes?: readonly string[]
  /** The times without prices of each token, by its symbol, in ms since the Unix epoch: the charts hatch them. Default: none. */
  readonly gaps?: ReportGaps
  /** The command that gives the report again. Default: none. */
  readonly command?: string
}

/** Times by symbol, in order. */
export type ReportGaps = Readonly<Record<string, readonly { readonly from: number; readonly to: number }[]>>

const reportTable = {
  ...summaryTable,
  title: required(stringOption(/^/, 'a text')),
  notes: listOption<string>('a list of texts', (value) => typeof value === 'string'),
  gaps: recordOption<ReportGaps>('an object with a list of times for each symbol', Array.isArray),
  command: stringOption(/./, 'a text'),
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
  const { sampleMs, from } = parseOptions(reportTable, options, { allowsUndefined: true })
  const run = new RunFold(true, sampleMs, from)
  for (const event of events) run.add(event)
  return renderRun(run, options)
}

/** The report of a run that is folded. `windows`: of a walk-forward. */
export const renderRun = (
  { summary, trades }: { readonly summary: Summary; readonly trades: RunTrades },
  { title, notes = [], gaps: gapsBySymbol = {}, command }: Omit<ReportOptions, keyof SummaryOptions>,
  windows?: ReportWindows,
): string => {
  const spans = windows?.list ?? []
  const { equity, prices, fills, trips } = trades
  const [first, last] = [equity[0], equity.at(-1)]
  const range = first && last ? `${shortTime(first.at)} to ${shortTime(last.at)} UTC` : 'no data'
  const missing = joined(Object.values(gapsBySymbol).flat())
  const gaps = joined([...missing, ...spans.filter(({ returnRatio }) => returnRatio === null)])
  const traded = new Set(fills.map(({ symbol }) => symbol))
  // Without a trade, all that have a price.
  const shown = [...prices]
    .filter(([symbol]) => traded.size === 0 || traded.has(symbol))
    .map(([symbol, points]) => ({ symbol, points: outside(points, gapsBySymbol[symbol]) }))
  return renderPage(
    title,
    `<p class="range">${range}${spans.length === 0 ? '' : `, ${formatQuantity(spans.length)} test ranges`}</p>`,
    `${figureList(summary)}
${conditions(notes, missing, trades)}
${figureHtml({ title: 'Equity, USD', name: 'account', data: dataOf(equity, gaps), others: shown.map(({ symbol, points }) => ({ name: `buy and hold ${symbol}`, data: dataOf(heldInstead(points, first), gaps) })) })}
${figureHtml({ title: 'Drawdown', data: dataOf(drawdowns(equity), gaps), isShare: true })}
${shown.map(({ symbol, points }) => figureHtml({ title: `${symbol}, USD`, data: dataOf(points, gapsBySymbol[symbol]), marks: marksOf(symbol, fills) })).join('\n')}
${windows === undefined ? '' : windowTable(windows)}
${roundTripTable(trips)}`,
    command,
  )
}

/** What a reader must know before the figures are believed, in one block. */
const conditions = (notes: readonly string[], gaps: readonly Span[], trades: RunTrades): string => {
  const none = trades.fills.length === 0 ? ['No order was filled.'] : []
  const all = [...none, ...notes, ...gapTexts(gaps), ...positionTexts(trades)]
    .map((text) => `<p>${escapeHtml(text)}</p>`)
    .concat(unfilledTable(trades))
    .filter((text) => text !== '')
  return all.length === 0 ? '' : `<section><h2>Conditions</h2>\n${all.join('\n')}</section>`
}

const gapTexts = (gaps: readonly Span[]): readonly string[] => {
  if (gaps.length === 0) return []
  const [count, ms] = [gaps.length, gaps.reduce((sum, { from, to }) => sum + to - from, 0)]
  return [
    `${count} ${count === 1 ? 'gap' : 'gaps'} in the data, ${formatDuration(ms)} in all: hatched in the charts. The command inspect names their causes.`,
  ]
}

/** Profit that is not realised is a part of the figures. */
const positionTexts = ({ account }: RunTrades): readonly string[] =>
  (account?.positions ?? []).map(
    ({ symbol, unrealisedUsd }) =>
      `A position of ${symbol} is open at the end, with an unrealised profit of ${formatUsd(unrealisedUsd)} USD.`,
  )

/** Times that overlap as one, in order. */
const joined = (spans: readonly Span[]): readonly Span[] => {
  const all: { from: number; to: number }[] = []
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    const last = all.at(-1)
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to)
    else all.push({ from, to })
  }
  return all
}

/** The data of a chart. There is no value from the start of each gap to the next point, and while a point is not current. */
const dataOf = (points: readonly Point[], gaps: readonly Span[] = []): ChartData => {
  const [first, last] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0]
  const starts = gaps
    .filter(({ from }) => from > first && from < last)
    .map(({ from }): Point => ({ at: from, value: 0, isCurrent: false }))
  const all = [...points, ...starts].sort((a, b) => a.at - b.at)
  return {
    times: all.map(({ at }) => at),
    values: all.map(({ value, isCurrent }) => (isCurrent ? value : null)),
  }
}

/** Without the points inside of gaps, in which a price is the one before. */
const outside = (points: readonly Point[], gaps: readonly Span[] = []): readonly Point[] =>
  points.filter(({ at }) => gaps.every(({ from, to }) => at <= from || at >= to))

/** What the first equity would be worth if it were held in a token. */
const heldInstead = (prices: readonly Point[], start: Point | undefined): readonly Point[] => {
  const quantity = (start?.value ?? 0) / (prices[0]?.value ?? 1)
  return prices.map((price) => ({ ...price, value: price.value * quantity }))
}

/** In %. */
const drawdowns = (equity: readonly Point[]): readonly Point[] => {
  let highest = 0
  return equity.map(({ at, value, isCurrent }) => {
    highest = Math.max(highest, value)
    return { at, value: 100 * (value / highest - 1), isCurrent: isCurrent && highest > 0 }
  })
}

const marksOf = (symbol: string, fills: readonly Filled[]): readonly Mark[] =>
  fills
    .filter((fill) => fill.symbol === symbol)
    .map(({ at, side, price, valueUsd }) => ({
      ...{ at, side, value: price },
      text: `${side} ${formatQuantity(valueUsd / price)} at ${formatUsd(price)}`,
    }))
