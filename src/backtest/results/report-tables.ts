import {
  escapeHtml,
  formatDuration,
  formatQuantity,
  formatShare,
  formatUsd,
  shortTime,
} from '../../view/format.js'
import { figuresOf, figureText } from '../../view/figure-texts.js'
import type { Summary } from './figures.js'
import { table } from '../../view/page/page.js'
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

export const roundTripTable = (trips: readonly RoundTrip[]): string =>
  table<RoundTrip>(
    'Round trips',
    [
      ['Token', ({ symbol }) => symbol],
      ['Side', ({ side }) => (side === 'buy' ? 'long' : 'short')],
      ['Net, USD', ({ netUsd }) => formatUsd(netUsd), 'The profit after all fees'],
      ['Worst, USD', ({ worstUsd }) => formatUsd(worstUsd), 'The lowest value in between, net of fees'],
      ['Best, USD', ({ bestUsd }) => formatUsd(bestUsd), 'The highest value in between, net of fees'],
      ['Entry, USD', ({ entryPrice }) => formatUsd(entryPrice), 'The average price of what was opened'],
      ['Exit, USD', ({ exitPrice }) => formatUsd(exitPrice), 'The average price of what was closed'],
      ['Held', ({ from, to }) => formatDuration(to - from)],
      ['From, UTC', ({ from }) => shortTime(from)],
      ['To, UTC', ({ to }) => shortTime(to)],
    ],
    trips,
    ['symbol', 'side', 'from', 'to', 'quantity', 'entryPrice', 'exitPrice', 'netUsd', 'worstUsd', 'bestUsd'],
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
  return table<ReportWindow>(
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
    ['from', 'to', 'trainScore', 'score', 'returnRatio', 'parameter', 'failure'],
  )
}

/** How many orders were rejected for each reason, and cancelled. */
export const unfilledTable = ({ unfilled }: RunTrades): string =>
  table<Unfilled>(
    'Reasons of orders that were not filled, or in part',
    [
      ['Reason of the first', ({ reason }) => reason],
      ['Orders', ({ count }) => formatQuantity(count)],
    ],
    [...unfilled.values()].sort((a, b) => b.count - a.count).slice(0, 50),
  )
