import { isRight } from 'fp-ts/lib/Either.js'
import { unknownQuote, valuationPrice, type Quote } from './market.js'
import { valueOf, type Money, type UnitPrice } from './money.js'
import { flat, type Portfolio, type Position } from './portfolio.js'
import type { Settings } from './settings.js'

// The value of a portfolio at the prices of a moment.

/** A point of the equity curve. */
export interface Equity {
  readonly _tag: 'Equity'
  /** Data time, in ms since the Unix epoch. */
  readonly at: number
  /** Cash plus the value of all positions at the last prices. */
  readonly equity: Money
  /** False while the price of a token that is held is not current: its last price values it. */
  readonly isCurrent: boolean
}

export interface Holding extends Position {
  readonly symbol: string
  readonly decimals: number
  readonly price: UnitPrice
  readonly value: Money
}

/** The account at the end of the data. */
export interface Account {
  readonly _tag: 'Account'
  readonly start: Money
  readonly portfolio: Portfolio
  readonly holdings: readonly Holding[]
  readonly unrealised: Money
  readonly equity: Equity
}

interface Valued {
  readonly now: number
  readonly portfolio: Portfolio
  readonly quotes: ReadonlyMap<string, Quote>
}

export const equityOf = (state: Valued, settings: Settings): Equity => {
  const value = holdingsOf(state, settings).reduce((sum, each) => sum + each.value, 0n)
  const isCurrent = isValuationCurrent(state)
  return { _tag: 'Equity', at: state.now, equity: state.portfolio.cash + value, isCurrent }
}

export const accountOf = (state: Valued, settings: Settings): Account => {
  const holdings = holdingsOf(state, settings)
  return {
    _tag: 'Account',
    start: settings.cash,
    portfolio: state.portfolio,
    holdings,
    unrealised: holdings.reduce((sum, { value, cost }) => sum + value - cost, 0n),
    equity: equityOf(state, settings),
  }
}

export const isValuationCurrent = ({ portfolio, quotes }: Valued): boolean => {
  for (const [symbol, { quantity }] of portfolio.positions)
    if (quantity !== 0n && !isRight((quotes.get(symbol) ?? unknownQuote).price)) return false
  return true
}

const holdingsOf = ({ portfolio, quotes }: Valued, { tokens }: Settings): readonly Holding[] =>
  [...tokens.values()].map(({ symbol, decimals }) => {
    const position = portfolio.positions.get(symbol) ?? flat
    const price = valuationPrice(quotes.get(symbol) ?? unknownQuote)
    return { symbol, decimals, ...position, price, value: valueOf(price, position.quantity, decimals) }
  })
