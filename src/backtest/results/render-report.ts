import {
  checkedOption,
  required,
  stringOption,
  withDefault,
  type OptionTable,
} from '../../base/option-kinds/option.js'
import { parseOptions } from '../../base/option-kinds/parse-options.js'
import type { Equity, Filled, PaperEvent } from '../account/events.js'
import type { ChartData, Span } from './chart-data.js'
import { figureHtml, type ComparedLine } from './figure.js'
import {
  escapeHtml,
  formatDuration,
  formatFigure,
  formatQuantity,
  formatRatio,
  formatShare,
  formatTime,
  formatUsd,
} from './format.js'
import { renderPage, table, tableOf, type Column } from './page.js'
import type { RoundTrip } from './round-trips.js'
import { RunFold, type RunTrades, type Unfilled } from './run-fold.js'
import type { Summary } from './figures.js'
import { summaryTable, type SummaryOptions } from './summary.js'

export interface ReportOptions extends SummaryOptions {
  readonly title: string
  /** Paragraphs of plain text at the end, such as the assumptions of the account. Default: none. */
  readonly notes?: readonly string[]
  /** The data of each token: a table, and the times without prices are hatched in the charts. Default: none. */
  readonly data?: readonly ReportData[]
  /** The command that gives the report again. Default: none. */
  readonly command?: string
}

/** The data of a token. Times are in ms since the Unix epoch. */
export interface ReportData {
  readonly symbol: string
  /** The number of prices and errors. */
  readonly rows: number
  /** The times of the first and of the last price; undefined without one. */
  readonly from: number | undefined
  readonly to: number | undefined
  /** The times without prices, in order. `cause`: in words. */
  readonly gaps: readonly { readonly from: number; readonly to: number; readonly cause: string }[]
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
  data: withDefault(
    checkedOption<readonly ReportData[]>('array', {
      expected: 'a list of objects with symbol and gaps',
      holds: (value) =>
        Array.isArray(value) &&
        value.every((each: Partial<ReportData> | null) => isText(each?.symbol) && Array.isArray(each?.gaps)),
    }),
    [],
  ),
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
  const { sampleMs, from } = reportOptions(options)
  const run = new RunFold(true, sampleMs, from)
  for (const event of events) run.add(event)
  return renderRun(run, options)
}

/** A test range of a walk-forward. */
export interface ReportWindow {
  readonly from: number
  readonly to: number
  /** The parameter that was chosen on the range before, as JSON; undefined without a result. */
  readonly parameter: string | undefined
  /** The metric of the choice, in the test range. */
  readonly score: number | undefined
  /** The return of the account. */
  readonly returnRatio: number | null
  /** Why there is no result. */
  readonly failure: string | undefined
}

export interface ReportWindows {
  readonly metric: string
  readonly list: readonly ReportWindow[]
}

/** The report of a run that is folded. `windows`: of a walk-forward; the charts show every second one as a band. */
export const renderRun = (
  { summary, trades }: { readonly summary: Summary; readonly trades: RunTrades },
  options: ReportOptions,
  windows?: ReportWindows,
): string => {
  const spans = windows?.list ?? []
  const bands = spans.filter((_, index) => index % 2 === 1).map(({ from, to }) => ({ from, to }))
  const { title, notes, data, command } = reportOptions(options)
  const { equities, fills, trips } = trades
  const [first, last] = [equities[0], equities.at(-1)]
  const range = first && last ? `${shortTime(first.at)} to ${shortTime(last.at)} UTC` : 'no data'
  const gaps = data.flatMap((each) => each.gaps).sort((a, b) => a.from - b.from)
  const symbols = symbolsOf(equities, fills)
  return renderPage(
    title,
    `<p class="range">${range}${spans.length === 0 ? '' : `, ${formatQuantity(spans.length)} test ranges (every second one shaded)`}${gaps.length === 0 ? '' : `, with ${gaps.length} ${gaps.length === 1 ? 'gap' : 'gaps'} (hatched)`}</p>`,
    `${figures(summary)}
${conditions(notes, gaps, trades)}
${figureHtml({ title: 'Equity, USD', data: valuesOf(equities, currentEquity), others: symbols.map((symbol) => heldInstead(symbol, equities, data)), gaps, bands })}
${figureHtml({ title: 'Drawdown', data: drawdowns(equities), gaps, bands, isShare: true })}
${symbols.map((symbol) => priceChart(symbol, equities, fills, data, bands)).join('\n')}
${windows === undefined ? '' : windowTable(windows)}
${roundTripTable(trips)}
${fillTable(fills)}
${dataTables(data)}`,
    command,
  )
}

/** What a reader must know before the figures are believed, in one block. */
const conditions = (notes: readonly string[], gaps: ReportData['gaps'], trades: RunTrades): string => {
  const lost = gaps.length === 0 ? [] : [`${gapsText(gaps)}: hatched in the charts, listed below.`]
  const texts = [...notes, ...lost].map((text) => `<p>${escapeHtml(text)}</p>`)
  const all = [...texts, unfilledTable(trades), positionTable(trades)].filter((text) => text !== '')
  return all.length === 0 ? '' : `<section><h2>Conditions</h2>\n${all.join('\n')}</section>`
}

/** `2 gaps, 1 h 5 min in all` */
const gapsText = (gaps: ReportData['gaps']): string =>
  `${gaps.length} ${gaps.length === 1 ? 'gap' : 'gaps'} in the data, ${formatDuration(sumOf(gaps))} in all`

const sumOf = (gaps: ReportData['gaps']): number => gaps.reduce((sum, { from, to }) => sum + to - from, 0)

const reportOptions = (options: ReportOptions) =>
  parseOptions(reportTable, options, { allowsUndefined: true })

const shortTime = (at: number): string => formatTime(at).slice(0, 19)

const valuesOf = (
  equities: readonly Equity[],
  valueOf: (equity: Equity) => number | undefined,
): ChartData => ({
  times: equities.map(({ at }) => at),
  values: equities.map((equity) => valueOf(equity) ?? null),
})

/** Not current: a gap. */
const currentEquity = ({ equityUsd, isCurrent }: Equity): number | undefined =>
  isCurrent ? equityUsd : undefined

/** What the first equity would be worth if it were held in a token. */
const heldInstead = (
  symbol: string,
  equities: readonly Equity[],
  data: readonly ReportData[],
): ComparedLine => {
  const { isMissing } = gapsIn(data, symbol)
  const start = equities.find(({ prices }) => prices[symbol] !== undefined)
  const factor = (equities[0]?.equityUsd ?? 0) / (start?.prices[symbol] ?? 1)
  const valueOf = (equity: Equity) => {
    const price = equity.prices[symbol]
    return price === undefined || isMissing(equity) ? undefined : price * factor
  }
  return { name: `${symbol} held`, data: valuesOf(equities, valueOf) }
}

const gapsIn = (data: readonly ReportData[], symbol: string) => {
  const gaps = data.filter((each) => each.symbol === symbol).flatMap((each) => each.gaps)
  return { gaps, isMissing: ({ at }: Equity): boolean => gaps.some(({ from, to }) => at > from && at < to) }
}

const drawdowns = (equities: readonly Equity[]): ChartData => {
  let highest = 0
  return valuesOf(equities, ({ equityUsd, isCurrent }) => {
    highest = Math.max(highest, equityUsd)
    return isCurrent && highest > 0 ? (equityUsd - highest) / highest : undefined
  })
}

/** The tokens that were traded, or without a trade all that have a price. */
const symbolsOf = (equities: readonly Equity[], fills: readonly Filled[]): readonly string[] => {
  const traded = new Set(fills.map(({ symbol }) => symbol))
  return traded.size > 0 ? [...traded] : Object.keys(equities.at(-1)?.prices ?? {})
}

const priceChart = (
  symbol: string,
  equities: readonly Equity[],
  fills: readonly Filled[],
  data: readonly ReportData[],
  bands: readonly Span[],
): string => {
  const { gaps, isMissing } = gapsIn(data, symbol)
  return figureHtml({
    title: `${symbol}, USD`,
    data: valuesOf(equities, (equity) => (isMissing(equity) ? undefined : equity.prices[symbol])),
    marks: fills
      .filter((fill) => fill.symbol === symbol)
      .map(({ at, side, price, valueUsd }) => ({
        ...{ at, side, value: price },
        text: `${side} ${formatQuantity(valueUsd / price)} at ${formatUsd(price)}`,
      })),
    gaps,
    bands,
  })
}

type Format = (value: number) => string

/** Each figure with its definition, which is shown under the pointer or with the focus. */
const figures = (summary: Summary): string => {
  const { annual, sampleMs } = summary
  const returns = `of returns over ${formatDuration(sampleMs)} between neighbouring values that were current, per year of 365 days`
  const longest = summary.maxDrawdown === 0 ? null : summary.longestDrawdownMs
  const all: readonly (readonly [name: string, meaning: string, value: number | null, format: Format])[] = [
    ['Profit, USD', 'The last equity less the first', summary.profitUsd, formatUsd],
    ['Return', 'The profit as a share of the first equity', summary.returnRatio, formatShare],
    ['Return a year', 'The growth in 365 days at this pace', annual?.returnRatio ?? null, formatShare],
    ...Object.entries(summary.buyAndHold).map(
      ([symbol, held]) =>
        [`${symbol} held`, 'The last price divided by the first, less 1', held, formatShare] as const,
    ),
    [
      'Largest drawdown',
      'The largest fall, as a share of the highest before',
      summary.maxDrawdown,
      formatShare,
    ],
    ['Longest drawdown', 'From a highest equity to the next', longest, formatDuration],
    ['Volatility', `The deviation ${returns}`, annual?.volatility ?? null, formatShare],
    ['Sharpe', `Mean / deviation ${returns}`, annual?.sharpe ?? null, formatRatio],
    ['Sortino', `Mean / root of the mean negative square ${returns}`, annual?.sortino ?? null, formatRatio],
    ['Exposure', 'The share of the time with a position', summary.exposure, formatShare],
    ['Round trips', 'Positions from flat to flat', summary.roundTrips, formatQuantity],
    ['Win rate', 'The share of round trips with a profit after fees', summary.winRate, formatShare],
    ['Expectancy, USD', 'The mean profit of a round trip, after fees', summary.expectancyUsd, formatUsd],
    ['Profit factor', 'Profits / losses of the round trips', summary.profitFactor, formatRatio],
    ['Fills', 'Of orders, whole or in part', summary.fills, formatQuantity],
    ['Fees, USD', 'Of all fills', summary.feesUsd, formatUsd],
    ['Slippage, USD', 'What the fills paid beyond the prices', summary.slippageUsd, formatUsd],
    ['Turnover, USD', 'The values of all fills', summary.turnoverUsd, formatUsd],
    ['Not current', 'Time with an old price of a held token', summary.notCurrentMs, formatDuration],
  ]
  const items = all.map(
    ([name, meaning, value, format]) =>
      `<div tabindex="0"><dt>${escapeHtml(name)}</dt><dd>${value === null ? '–' : format(value)}</dd><dd class="meaning">${meaning}</dd></div>`,
  )
  const note = all.some(([, , value]) => value === null)
    ? '<p class="note">–: the figure has no meaning, such as a share of no trades, or those of returns with fewer than 30 samples.</p>'
    : ''
  return `<dl>${items.join('')}</dl>\n${note}`
}

/** Of a longer list, the first rows. */
const maxRows = 1_000

/** Longer lists are not in the page as a file. */
const maxSavedRows = 10_000

/** A list of trades: its title, its table, and a link to a file that the page contains. */
const listOf = <Row>(
  name: string,
  columns: readonly Column<Row>[],
  saved: readonly (keyof Row & string)[],
  rows: readonly Row[],
) => {
  const isCut = rows.length > maxRows
  const first = isCut ? `the first ${formatQuantity(maxRows)} of ` : ''
  const caption = `${name}: ${first}${formatQuantity(rows.length)}`
  const link = rows.length > maxSavedRows ? '' : csvLink(name.toLowerCase(), saved, rows)
  return { caption, html: tableOf(caption, columns, rows.slice(0, maxRows)) + link }
}

/** The columns of the file have the digits and the units of the events. */
const csvLink = <Row>(
  name: string,
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): string => {
  const textOf = (row: Row, column: keyof Row & string): string => {
    const value = isTime.has(column) ? formatTime(Number(row[column])) : row[column]
    return typeof value === 'string' ? `"${value.replaceAll('"', '""')}"` : String(value)
  }
  const lines = rows.map((row) => columns.map((column) => textOf(row, column)).join(','))
  const text = encodeURIComponent([columns.join(','), ...lines, ''].join('\n'))
  return `\n<p class="note"><a download="${name.replaceAll(' ', '-')}.csv" href="data:text/csv;charset=utf-8,${text}">Save the ${name} as CSV</a></p>`
}

const isTime = new Set(['at', 'decidedAt', 'from', 'to'])

const fillTable = (fills: readonly Filled[]): string => {
  if (fills.length === 0) return ''
  const { caption, html } = listOf<Filled>(
    'Fills',
    [
      ['Time, UTC', ({ at }) => formatTime(at)],
      ['Token', ({ symbol }) => symbol],
      ['Side', ({ side }) => side],
      ['Order', ({ order }) => order._tag],
      ['Quantity', ({ valueUsd, price }) => formatQuantity(valueUsd / price)],
      ['Price, USD', ({ price }) => formatUsd(price)],
      ['Value, USD', ({ valueUsd }) => formatUsd(valueUsd)],
      ['Fee, USD', ({ feeUsd }) => formatUsd(feeUsd)],
      ['Slippage, USD', ({ slippageUsd }) => formatUsd(slippageUsd)],
      ['Id', ({ id }) => id],
    ],
    ['at', 'decidedAt', 'id', 'symbol', 'side', 'quantity', 'price', 'valueUsd', 'feeUsd', 'slippageUsd'],
    fills,
  )
  return `<details><summary>${caption}</summary>\n${html}</details>`
}

const roundTripTable = (trips: readonly RoundTrip[]): string => {
  if (trips.length === 0) return ''
  const { caption, html } = listOf<RoundTrip>(
    'Round trips',
    [
      ['Token', ({ symbol }) => symbol],
      ['Side', ({ side }) => side],
      ['Net, USD', ({ netUsd }) => formatUsd(netUsd)],
      ['Worst, USD', ({ worstUsd }) => formatUsd(worstUsd)],
      ['Best, USD', ({ bestUsd }) => formatUsd(bestUsd)],
      ['Entry, USD', ({ entryPrice }) => formatUsd(entryPrice)],
      ['Exit, USD', ({ exitPrice }) => formatUsd(exitPrice)],
      ['Held', ({ from, to }) => formatDuration(to - from)],
      ['From, UTC', ({ from }) => formatTime(from)],
      ['To, UTC', ({ to }) => formatTime(to)],
    ],
    ['symbol', 'side', 'from', 'to', 'quantity', 'entryPrice', 'exitPrice', 'netUsd', 'worstUsd', 'bestUsd'],
    trips,
  )
  return `<h2>${caption}</h2>\n${html}`
}

const windowTable = ({ metric, list }: ReportWindows): string =>
  table<ReportWindow>(
    'Test ranges',
    [
      ['From, UTC', ({ from }) => shortTime(from)],
      ['To, UTC', ({ to }) => shortTime(to)],
      [metric, ({ score }) => (score === undefined ? '–' : formatFigure(metric, score))],
      ['Return', ({ returnRatio }) => (returnRatio === null ? '–' : formatShare(returnRatio))],
      ['Parameter', ({ parameter, failure }) => parameter ?? failure ?? ''],
    ],
    list,
  )

const positionTable = ({ account, fills }: RunTrades): string => {
  if (account === undefined) return ''
  const { positions, cashUsd, equityUsd } = account
  const rows = positions.map(({ symbol, quantity, averagePrice, unrealisedUsd }) => [
    symbol,
    tokensText(
      quantity,
      fills.find((fill) => fill.symbol === symbol),
    ),
    formatUsd(averagePrice),
    formatUsd(unrealisedUsd),
  ])
  const titles = ['Position', 'Amount', 'Average price', 'Unrealised, USD']
  return table(
    'At the end',
    titles.map((title, index): Column<readonly string[]> => [title, (row) => row[index] ?? '']),
    [...rows, ['Cash, USD', formatUsd(cashUsd)], ['Equity, USD', formatUsd(equityUsd)]],
  )
}

/** A number of tokens. Events have no decimals: a fill of the token shows them. */
const tokensText = (units: bigint, fill: Filled | undefined): string => {
  const decimals = fill && Math.round(Math.log10((Number(fill.quantity) * fill.price) / fill.valueUsd))
  return decimals === undefined || !Number.isFinite(decimals)
    ? `${units.toLocaleString('en-US')} units`
    : formatQuantity(Number(units) / 10 ** decimals)
}

const maxGaps = 20

const dataTables = (data: readonly ReportData[]): string => {
  const longest = data
    .flatMap(({ symbol, gaps }) => gaps.map((gap) => ({ symbol, ...gap })))
    .sort((a, b) => b.to - b.from - (a.to - a.from))
  const timeOf = (at: number | undefined): string => (at === undefined ? '–' : shortTime(at))
  const dataTable = table<ReportData>(
    'Data',
    [
      ['Token', ({ symbol }) => symbol],
      ['Rows', ({ rows }) => formatQuantity(rows)],
      ['From, UTC', ({ from }) => timeOf(from)],
      ['To, UTC', ({ to }) => timeOf(to)],
      ['Gaps', ({ gaps }) => formatQuantity(gaps.length)],
      ['In gaps', ({ gaps }) => (gaps.length === 0 ? '–' : formatDuration(sumOf(gaps)))],
    ],
    data,
  )
  const gapTable = table<(typeof longest)[number]>(
    longest.length > maxGaps ? `The longest of ${longest.length} gaps` : 'Gaps',
    [
      ['Token', ({ symbol }) => symbol],
      ['From, UTC', ({ from }) => shortTime(from)],
      ['To, UTC', ({ to }) => shortTime(to)],
      ['Length', ({ from, to }) => formatDuration(to - from)],
      ['Cause', ({ cause }) => cause],
    ],
    longest.slice(0, maxGaps),
  )
  return `${dataTable}\n${gapTable}`
}

/** How many orders were rejected for each reason, and cancelled, and when the first one was. */
const unfilledTable = ({ unfilled }: RunTrades): string =>
  table<readonly [reason: string, Unfilled]>(
    'Orders that were not filled, or in part',
    [
      ['Reason', ([reason]) => reason],
      ['Orders', ([, { count }]) => formatQuantity(count)],
      ['First, UTC', ([, { firstAt }]) => shortTime(firstAt)],
    ],
    [...unfilled].sort(([, a], [, b]) => b.count - a.count).slice(0, 50),
  )
