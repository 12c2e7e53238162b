import { escapeUnsafe } from '../../base/errors/text.js'
import type { Filled, HeldPosition } from '../account/events.js'
import type { Summary } from './figures.js'
import {
  escapeHtml,
  formatDuration,
  formatQuantity,
  formatShare,
  formatTime,
  formatUsd,
  shortTime,
} from './format.js'
import { figuresOf, figureText } from './figure-texts.js'
import { table, tableOf, type Column } from './page.js'
import type { RoundTrip } from './round-trips.js'
import type { RunTrades, Unfilled } from './run-fold.js'

// The figures and the tables of a report, as HTML. A table without a row is empty.

/** Each figure with its definition, which is shown under the pointer or with the focus. */
export const figureList = (summary: Summary): string => {
  const all = figuresOf(summary)
  const items = all.map(([name, value]) => {
    const { title, meaning, format } = figureText(name)
    return `<div tabindex="0"><dt>${escapeHtml(title)}</dt><dd>${value === null ? '–' : format(value)}</dd><dd class="meaning">${meaning}</dd></div>`
  })
  const dash = all.some(([, value]) => value === null)
    ? ' –: the figure has no meaning, such as a share of no trades, or those of returns with fewer than 30 samples.'
    : ''
  return `<dl>${items.join('')}</dl>
<p class="note">Volatility, Sharpe and Sortino are of returns over ${formatDuration(summary.sampleMs)} between neighbouring values that were current, per year of 365 days.${dash}</p>`
}

/** Of a longer list, the first rows. */
const maxRows = 1_000

/** Longer lists are not in the page as a file. */
const maxSavedRows = 10_000

/** A list of trades with its number, and a link to a file that the page contains. */
const listTable = <Row>(
  name: string,
  columns: readonly Column<Row>[],
  saved: readonly (keyof Row & string)[],
  rows: readonly Row[],
  titled: (caption: string, html: string) => string,
): string => {
  const first = rows.length > maxRows ? `the first ${formatQuantity(maxRows)} of ` : ''
  const caption = `${name}: ${first}${formatQuantity(rows.length)}`
  const html = tableOf(caption, columns, rows.slice(0, maxRows)) + csvLink(name.toLowerCase(), saved, rows)
  return rows.length === 0 ? '' : titled(caption, html)
}

/** A link to a file in the page, unless it has no rows or very many. Its columns have the digits and the units of the rows. */
export const csvLink = <Row>(
  name: string,
  columns: readonly (keyof Row & string)[],
  rows: readonly Row[],
): string => {
  if (rows.length === 0 || rows.length > maxSavedRows) return ''
  const textOf = (row: Row, column: keyof Row & string): string => {
    const value = isTime.has(column) ? formatTime(Number(row[column])) : (row[column] ?? '')
    return typeof value === 'string' ? `"${escapeUnsafe(value).replaceAll('"', '""')}"` : String(value)
  }
  const lines = rows.map((row) => columns.map((column) => textOf(row, column)).join(','))
  const text = encodeURIComponent([columns.join(','), ...lines, ''].join('\n'))
  return `\n<p class="note"><a download="${name.replaceAll(' ', '-')}.csv" href="data:text/csv;charset=utf-8,${text}">Save the ${name} as CSV</a></p>`
}

const isTime = new Set(['at', 'decidedAt', 'from', 'to'])

export const fillTable = (fills: readonly Filled[]): string =>
  listTable<Filled>(
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
    (caption, html) => `<details><summary>${caption}</summary>\n${html}</details>`,
  )

export const roundTripTable = (trips: readonly RoundTrip[]): string =>
  listTable<RoundTrip>(
    'Round trips',
    [
      ['Token', ({ symbol }) => symbol],
      ['Side', ({ side }) => (side === 'buy' ? 'long' : 'short')],
      ['Net, USD', ({ netUsd }) => formatUsd(netUsd)],
      ['Worst, USD', ({ worstUsd }) => formatUsd(worstUsd)],
      ['Best, USD', ({ bestUsd }) => formatUsd(bestUsd)],
      ['Entry, USD', ({ entryPrice }) => formatUsd(entryPrice)],
      ['Exit, USD', ({ exitPrice }) => formatUsd(exitPrice)],
      ['Held', ({ from, to }) => formatDuration(to - from)],
      ['From, UTC', ({ from }) => shortTime(from)],
      ['To, UTC', ({ to }) => shortTime(to)],
    ],
    ['symbol', 'side', 'from', 'to', 'quantity', 'entryPrice', 'exitPrice', 'netUsd', 'worstUsd', 'bestUsd'],
    trips,
    (caption, html) => `<h2>${caption}</h2>\n${html}`,
  )

/** A test range of a walk-forward. */
export interface ReportWindow {
  readonly from: number
  readonly to: number
  /** The parameter that was chosen on the range before, as JSON; undefined without a result. */
  readonly parameter: string | undefined
  /** The metric of the choice, in the test range, and in the range on which the parameter was chosen. */
  readonly score: number | undefined
  readonly trainScore: number | undefined
  /** The return of the account. */
  readonly returnRatio: number | null
  /** Why there is no result. */
  readonly failure: string | undefined
}

export interface ReportWindows {
  readonly metric: string
  readonly list: readonly ReportWindow[]
}

export const windowTable = ({ metric, list }: ReportWindows): string => {
  const { title, format } = figureText(metric)
  const html = table<ReportWindow>(
    'Test ranges',
    [
      ['Range', (window) => String(list.indexOf(window) + 1)],
      ['From, UTC', ({ from }) => shortTime(from)],
      ['To, UTC', ({ to }) => shortTime(to)],
      [`${title}, trained`, ({ trainScore }) => (trainScore === undefined ? '–' : format(trainScore))],
      [`${title}, tested`, ({ score }) => (score === undefined ? '–' : format(score))],
      ['Return of the account', ({ returnRatio }) => (returnRatio === null ? '–' : formatShare(returnRatio))],
      ['Parameter', ({ parameter, failure }) => parameter ?? failure ?? ''],
    ],
    list,
  )
  const columns = ['from', 'to', 'trainScore', 'score', 'returnRatio', 'parameter', 'failure'] as const
  return html + csvLink('test ranges', columns, list)
}

export const positionTable = ({ account, fills }: RunTrades): string =>
  table<HeldPosition>(
    `Open at the end, beside ${formatUsd(account?.cashUsd ?? 0)} USD in cash`,
    [
      ['Position', ({ symbol }) => symbol],
      [
        'Amount',
        ({ symbol, quantity }) =>
          tokensText(
            quantity,
            fills.find((fill) => fill.symbol === symbol),
          ),
      ],
      ['Average price', ({ averagePrice }) => formatUsd(averagePrice)],
      ['Unrealised, USD', ({ unrealisedUsd }) => formatUsd(unrealisedUsd)],
    ],
    account?.positions ?? [],
  )

/** A number of tokens. Events have no decimals: a fill of the token shows them. */
const tokensText = (units: bigint, fill: Filled | undefined): string => {
  const decimals = fill && Math.round(Math.log10((Number(fill.quantity) * fill.price) / fill.valueUsd))
  return decimals === undefined || !Number.isFinite(decimals)
    ? `${units.toLocaleString('en-US')} units`
    : formatQuantity(Number(units) / 10 ** decimals)
}

/** How many orders were rejected for each reason, and cancelled, and when the first one was. */
export const unfilledTable = ({ unfilled }: RunTrades): string =>
  table<Unfilled>(
    'Orders that were not filled, or in part',
    [
      ['Reason of the first', ({ reason }) => reason],
      ['Orders', ({ count }) => formatQuantity(count)],
      ['First, UTC', ({ firstAt }) => shortTime(firstAt)],
    ],
    [...unfilled.values()].sort((a, b) => b.count - a.count).slice(0, 50),
  )
