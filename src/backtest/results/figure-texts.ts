import { formatDuration, formatNumber, formatQuantity, formatShare, formatUsd } from './format.js'
import type { Summary } from './figures.js'

/** How a page shows a figure of an account: its title, its definition, and its value. */
interface FigureText {
  readonly title: string
  readonly meaning: string
  readonly format: (value: number) => string
}

const ratio = (value: number): string => formatNumber(value, 3)

/** By the name of the figure in a summary, in the order of a report. */
const texts: Readonly<Record<string, FigureText>> = {
  profitUsd: { title: 'Profit, USD', meaning: 'The last equity less the first', format: formatUsd },
  returnRatio: { title: 'Return', meaning: 'The profit as a share of the first equity', format: formatShare },
  'annual.returnRatio': {
    ...{ title: 'Return a year', meaning: 'The growth in 365 days at this pace', format: formatShare },
  },
  maxDrawdown: {
    ...{ title: 'Largest drawdown', meaning: 'The largest fall, as a share of the highest before' },
    format: formatShare,
  },
  longestDrawdownMs: {
    ...{ title: 'Longest drawdown', meaning: 'From a highest equity to the next', format: formatDuration },
  },
  'annual.volatility': { title: 'Volatility', meaning: 'The deviation of the returns', format: formatShare },
  'annual.sharpe': { title: 'Sharpe', meaning: 'Mean / deviation of the returns', format: ratio },
  'annual.sortino': {
    ...{ title: 'Sortino', meaning: 'Mean / root of the mean negative square of the returns', format: ratio },
  },
  exposure: { title: 'Exposure', meaning: 'The share of the time with a position', format: formatShare },
  roundTrips: { title: 'Round trips', meaning: 'Positions from flat to flat', format: formatQuantity },
  winRate: {
    ...{
      title: 'Win rate',
      meaning: 'The share of round trips with a profit after fees',
      format: formatShare,
    },
  },
  expectancyUsd: {
    ...{
      title: 'Expectancy, USD',
      meaning: 'The mean profit of a round trip, after fees',
      format: formatUsd,
    },
  },
  profitFactor: {
    ...{ title: 'Profit factor', meaning: 'Profits / losses of the round trips', format: ratio },
  },
  fills: { title: 'Fills', meaning: 'Of orders, whole or in part', format: formatQuantity },
  feesUsd: { title: 'Fees, USD', meaning: 'Of all fills', format: formatUsd },
  slippageUsd: {
    ...{ title: 'Slippage, USD', meaning: 'What the fills paid beyond the prices', format: formatUsd },
  },
  turnoverUsd: { title: 'Turnover, USD', meaning: 'The values of all fills', format: formatUsd },
  notCurrentMs: {
    ...{ title: 'Prices out of date', meaning: 'Time in which the price of a held token was not current' },
    format: formatDuration,
  },
}

const held = 'buyAndHold.'

/** `name`: of a figure in a summary, such as `annual.sharpe`, or of any other number. */
export const figureText = (name: string): FigureText => {
  if (name.startsWith(held))
    return {
      title: `Buy and hold ${name.slice(held.length)}`,
      meaning: 'The last price divided by the first, less 1',
      format: formatShare,
    }
  return texts[name] ?? { title: name, meaning: '', format: (value) => formatQuantity(value, 6) }
}

/** The figures of a summary in the order of a report. `null`: without a meaning. */
export const figuresOf = (summary: Summary): readonly (readonly [name: string, value: number | null])[] => {
  const { annual, buyAndHold, ...own } = summary
  const values: Readonly<Record<string, number | null>> = {
    ...own,
    ...Object.fromEntries(Object.entries(annual ?? {}).map(([name, value]) => [`annual.${name}`, value])),
    // Without a fall, there is none that is the longest.
    longestDrawdownMs: own.maxDrawdown === 0 ? null : own.longestDrawdownMs,
  }
  const [first, rest] = [Object.keys(texts).slice(0, 3), Object.keys(texts).slice(3)]
  const valueOf = (name: string) => [name, values[name] ?? null] as const
  const alternatives = Object.entries(buyAndHold).map(([symbol, value]) => [held + symbol, value] as const)
  return [...first.map(valueOf), ...alternatives, ...rest.map(valueOf)]
}
