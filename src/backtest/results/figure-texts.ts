import { formatDuration, formatNumber, formatQuantity, formatShare, formatUsd } from './format.js'
import type { Summary } from './figures.js'

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
const texts: Readonly<Record<string, FigureText>> = {
  profitUsd: usd('Profit, USD', 'The last equity less the first'),
  returnRatio: share('Return', 'The profit as a share of the first equity'),
  'annual.returnRatio': share('Return a year', 'The growth in 365 days at this pace'),
  maxDrawdown: share('Largest drawdown', 'The largest fall, as a share of the highest before'),
  longestDrawdownMs: duration('Longest drawdown', 'From a highest equity to the next'),
  'annual.volatility': share('Volatility', 'The deviation of the returns'),
  'annual.sharpe': ratio('Sharpe', 'Mean / deviation of the returns'),
  'annual.sortino': ratio('Sortino', 'Mean / root of the mean negative square of the returns'),
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
}

const held = 'buyAndHold.'

/** `name`: of a figure in a summary, such as `annual.sharpe`, or of any other number. */
export const figureText = (name: string): FigureText => {
  if (name.startsWith(held))
    return share(`Buy and hold ${name.slice(held.length)}`, 'The last price divided by the first, less 1')
  return texts[name] ?? { title: name, meaning: '', format: (value) => formatQuantity(value, 6) }
}

/** The names of the figures of an account that trades these tokens, in the order of a report. */
export const figureNames = (symbols: readonly string[]): readonly string[] =>
  Object.keys(texts).toSpliced(3, 0, ...symbols.map((symbol) => held + symbol))

/** The figures of a summary in the order of a report. `null`: without a meaning. */
export const figuresOf = (summary: Summary): readonly (readonly [name: string, value: number | null])[] => {
  const { annual, buyAndHold, ...own } = summary
  const inside = (prefix: string, figures: object) =>
    Object.entries(figures).map(([name, value]: [string, number | null]) => [prefix + name, value] as const)
  const values = new Map<string, number | null>([
    ...inside('', own),
    ...inside('annual.', annual ?? {}),
    ...inside(held, buyAndHold),
  ])
  // Without a fall, there is none that is the longest.
  if (own.maxDrawdown === 0) values.set('longestDrawdownMs', null)
  return figureNames(Object.keys(buyAndHold)).map((name) => [name, values.get(name) ?? null])
}
