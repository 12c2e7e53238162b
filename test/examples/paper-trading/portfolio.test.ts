import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { money, unitPrice, valueOf } from '../../../examples/paper-trading/money.js'
import type { Trade } from '../../../examples/paper-trading/order.js'
import { applyTrade, emptyPortfolio, positionOf } from '../../../examples/paper-trading/portfolio.js'
import {
  absolute,
  add,
  fromDouble,
  isEqual,
  isLess,
  multiply,
  negate,
  rational,
  subtract,
  type Rational,
} from '../../backtest/paper/support/rational.js'

const decimalsOf = { ETH: 18, BTC: 8, SHARE: 0 } as const
type Symbol = keyof typeof decimalsOf
const start = 1_000

interface RandomTrade {
  readonly symbol: Symbol
  readonly side: 'buy' | 'sell'
  readonly usd: number
  readonly quantity: bigint
  readonly fee: number
}

// Few quantities and few prices, so that positions are often closed exactly and turned over.
const randomTrade: fc.Arbitrary<RandomTrade> = fc.record({
  symbol: fc.constantFrom<Symbol[]>('ETH', 'BTC', 'SHARE'),
  side: fc.constantFrom('buy', 'sell'),
  usd: fc.oneof(fc.constantFrom(0.1, 3, 7.25, 2682.505), fc.double({ min: 1e-9, max: 1e6, noNaN: true })),
  quantity: fc.oneof(fc.constantFrom(1n, 2n, 3n, 7n), fc.bigInt({ min: 1n, max: 10n ** 22n })),
  fee: fc.constantFrom(0, 0.000001, 0.25),
})

const trade = ({ symbol, side, usd, quantity, fee }: RandomTrade): Trade => ({
  symbol,
  side,
  price: unitPrice(usd),
  quantity,
  fee: money(fee),
})

const afterAll = (trades: readonly RandomTrade[]) =>
  trades.reduce(
    (all, each) => applyTrade(all, trade(each), decimalsOf[each.symbol]),
    emptyPortfolio(money(start)),
  )

/** The model: one token as signed quantity and average cost for one token, in fractions. */
interface Model {
  readonly quantity: Rational
  readonly average: Rational
  readonly realised: Rational
  readonly cash: Rational
}

const zero = rational(0n)
const none: Model = { quantity: zero, average: zero, realised: zero, cash: zero }

const modelOf = (trades: readonly RandomTrade[], symbol: Symbol): Model =>
  trades.filter((each) => each.symbol === symbol).reduce(step, none)

const step = ({ quantity, average, realised, cash }: Model, each: RandomTrade): Model => {
  const price = fromDouble(each.usd)
  const size = rational(each.quantity, 10n ** BigInt(decimalsOf[each.symbol]))
  const change = each.side === 'buy' ? size : negate(size)
  const after = add(quantity, change)
  const paid = subtract(subtract(cash, multiply(price, change)), fromDouble(each.fee))
  const isOpening = quantity.n === 0n || quantity.n > 0n === change.n > 0n
  if (isOpening) {
    const cost = add(multiply(average, quantity), multiply(price, change))
    return { quantity: after, average: divide(cost, after), realised, cash: paid }
  }
  const turns = isLess(absolute(quantity), absolute(change))
  const closed = turns ? quantity : negate(change)
  const profit = multiply(closed, subtract(price, average))
  return { quantity: after, average: turns ? price : average, realised: add(realised, profit), cash: paid }
}

const divide = (a: Rational, b: Rational): Rational =>
  b.n < 0n ? rational(-a.n * b.d, a.d * -b.n) : rational(a.n * b.d, a.d * b.n)

const symbols = Object.keys(decimalsOf) as Symbol[]
const exactAmount = (amount: bigint): Rational => rational(amount, 10n ** 48n)

describe('a portfolio', () => {
  it('conserves cash and the cost of its positions exactly', () => {
    fc.assert(
      fc.property(fc.array(randomTrade, { maxLength: 40 }), (trades) => {
        const portfolio = afterAll(trades)
        const costs = symbols.reduce((sum, symbol) => sum + positionOf(portfolio, symbol).cost, 0n)
        expect(portfolio.cash + costs).toBe(money(start) + portfolio.realised - portfolio.fees)
        expect(portfolio.fees).toBe(trades.reduce((sum, { fee }) => sum + money(fee), 0n))
      }),
    )
  })

  it('has the quantities, the cash and the profit of a model in fractions', () => {
    fc.assert(
      fc.property(fc.array(randomTrade, { maxLength: 25 }), (trades) => {
        const portfolio = afterAll(trades)
        const models = symbols.map((symbol) => modelOf(trades, symbol))
        const cash = models.reduce((sum, model) => add(sum, model.cash), rational(BigInt(start)))
        expect(isEqual(exactAmount(portfolio.cash), cash)).toBe(true)
        symbols.forEach((symbol, index) => {
          const { quantity, cost } = positionOf(portfolio, symbol)
          const model = models[index]!
          expect(isEqual(rational(quantity, 10n ** BigInt(decimalsOf[symbol])), model.quantity)).toBe(true)
          if (quantity === 0n) expect(cost).toBe(0n)
        })
        // Each division cuts off less than one unit, of the profit and of the remaining cost.
        const realised = models.reduce((sum, model) => add(sum, model.realised), zero)
        const difference = absolute(subtract(exactAmount(portfolio.realised), realised))
        expect(isLess(difference, exactAmount(BigInt(2 * trades.length + 1)))).toBe(true)
      }),
    )
  })

  it('values its positions at any price by cash at the start, profit and fees', () => {
    const price = fc.double({ min: 1e-9, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(fc.array(randomTrade, { maxLength: 25 }), price, (trades, usd) => {
        const portfolio = afterAll(trades)
        const held = symbols.map((symbol) => {
          const { quantity, cost } = positionOf(portfolio, symbol)
          return { cost, value: valueOf(unitPrice(usd), quantity, decimalsOf[symbol]) }
        })
        const equity = held.reduce((sum, { value }) => sum + value, portfolio.cash)
        const unrealised = held.reduce((sum, { value, cost }) => sum + value - cost, 0n)
        expect(equity).toBe(money(start) + portfolio.realised + unrealised - portfolio.fees)
      }),
    )
  })

  it('realises profit against the average cost, of long and of short positions', () => {
    const of = (side: 'buy' | 'sell', usd: number, quantity: bigint): RandomTrade => ({
      symbol: 'SHARE',
      side,
      usd,
      quantity,
      fee: 0,
    })
    const trades = [
      of('buy', 10, 5n),
      of('buy', 20, 5n),
      of('sell', 18, 4n),
      of('sell', 30, 10n),
      of('buy', 28, 4n),
    ]
    const realised = trades.map((_, index) => afterAll(trades.slice(0, index + 1)).realised)
    // 4 × (18 - 15), then 6 × (30 - 15), then 4 × (30 - 28).
    expect(realised).toEqual([0, 0, 12, 102, 110].map((usd) => money(usd)))
  })
})
