import type { Summary } from '../backtest/results/figures.js'
import { formatDuration, formatNumber, formatQuantity, formatShare, formatUsd } from './format.js'

/** How a page shows a figure of an account: its title, its definition, and its value. */
interface FigureText {
  readonly title: string
  readonly meaning: string
  readonly format: (value: number) => string
}

const shownAs =
  (format: FigureText['format']) =>
  (title: string, meaning: string): FigureText => ({ title, meaning, format })

const [usd, share, duration] = [shownAs(formatUsd), shownAs(formatShare), shownAs(formatDuration)]
const ratio = shownAs((value) => formatNumber(value, 3))
const count = shownAs((value) => formatQuantity(value))

/** By the name of the figure in a summary, in the order of a report. Those of each token are after the first three. */
const texts = new Map<string, FigureText>(
  Object.entries({
    profitUsd: usd('Profit, USD', 'The last equity less the first'),
    returnRatio: share('Return', 'The profit as a share of the first equity'),
    'annual.returnRatio': share('Return a year', 'The growth in 365 days at this pace'),
    maxDrawdown: share('Largest drawdown', 'The largest fall, as a share of the highest before'),
    longestDrawdownMs: duration('Longest drawdown', 'From a highest equity to the next'),
    'annual.volatility': share('Volatility', 'The deviation of the returns, per year'),
    'annual.sharpe': ratio('Sharpe', 'Mean / deviation of the returns, per year'),
    'annual.sortino': ratio('Sortino', 'Mean / root of the mean negative square of the returns, per year'),
    exposure: share('Exposure', 'The share of the time with a position'),
    roundTrips: count('Round trips', 'Positions from flat to flat'),
    winRate: share('Win rate', 'The share of round trips with a profit after fees'),
    expectancyUsd: usd('Expectancy, USD', 'The mean profit of a round trip, after fees'),
    profitFactor: ratio('Profit factor', 'Profits / losses of the round trips'),
    fills: count('Fills', 'Of orders, whole or in part'),
    feesUsd: usd('Fees, USD', 'Of all fills'),
    slippageUsd: usd('Slippage, USD', 'What the fills paid beyond the prices'),
    turnoverUsd: usd('Turnover, USD', 'The values of all fills'),
    notCurrentMs: duration('Prices out of date', 'Time in which the price of a held token was not current'),
  }),
)

const held = 'buyAndHold.'

/** `name`: of a figure in a summary, such as `annual.sharpe`, or of any other number. */
export const figureText = (name: string): FigureText => {
  if (name.startsWith(held))
    return share(`Buy and hold ${name.slice(held.length)}`, 'The last price divided by the first, less 1')
  return texts.get(name) ?? { title: name, meaning: '', format: (value) => formatQuantity(value, 6) }
}

/** The names of the figures of an account that trades these tokens, in the order of a report. */
export const figureNames = (symbols: readonly string[]): readonly string[] =>
  [...texts.keys()].toSpliced(3, 0, ...symbols.map((symbol) => held + symbol))

/** The figures of a summary in the order of a report. `null`: without a meaning. */
export const figuresOf = (summary: Summary): readonly (readonly [name: string, value: number | null])[] =>
  figureNames(Object.keys(summary.buyAndHold)).map((name) => [name, valueOf(summary, name)])

const valueOf = ({ annual, buyAndHold, ...own }: Summary, name: string): number | null => {
  if (name.startsWith(held)) return buyAndHold[name.slice(held.length)] ?? null
  // Without a fall, there is none that is the longest.
  if (name === 'longestDrawdownMs' && own.maxDrawdown === 0) return null
  const [figure = '', inner] = name.split('.').reverse()
  const figures: Readonly<Record<string, number | null>> = inner === undefined ? own : { ...annual }
  return figures[figure] ?? null
}
