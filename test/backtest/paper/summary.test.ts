import fc from 'fast-check'
import { ConfigurationError } from 'svc-streams'
import { summaryOf, type Equity, type Filled, type PaperEvent, type Summary } from 'svc-streams/paper'
import { describe, expect, it } from 'vitest'
import { randomEvents } from './support/events.js'

const equity = (at: number, equityUsd: number, isCurrent = true): Equity => ({
  _tag: 'Equity',
  ...{ at, equityUsd, isCurrent, prices: {} },
})

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** Each figure by its plain formula. */
const plain = (events: readonly PaperEvent[], sampleMs: number): Summary => {
  const curve = events.filter((event) => event._tag === 'Equity')
  const fills = events.filter((event) => event._tag === 'Filled')
  const [first, last] = [curve[0], curve.at(-1)]
  const samples: number[] = []
  if (first && last)
    for (let at = Math.ceil(first.at / sampleMs) * sampleMs; at <= last.at; at += sampleMs)
      samples.push(curve.findLast((each) => each.at <= at)!.equityUsd)
  const returns = samples.slice(1).map((value, index) => value / samples[index]! - 1)
  const hasMeaning = returns.length > 0 && samples.every((value) => value > 0)
  const mean = meanOf(returns)
  const deviation = Math.sqrt(meanOf(returns.map((each) => (each - mean) ** 2)))
  const downside = Math.sqrt(meanOf(returns.map((each) => (each < 0 ? each ** 2 : 0))))
  const drawdowns = curve.flatMap(({ equityUsd }, index) => {
    const highest = Math.max(...curve.slice(0, index + 1).map((each) => each.equityUsd))
    return highest > 0 ? [(highest - equityUsd) / highest] : []
  })
  const closing = fills.map((fill, index) => closes(fill, fills.slice(0, index)))
  const trades = closing.filter((each) => each !== undefined)
  const profitUsd = first && last ? last.equityUsd - first.equityUsd : null
  const length = first && last ? last.at - first.at : 0
  const total = (of: (fill: Filled) => number): number => fills.reduce((sum, fill) => sum + of(fill), 0)
  return {
    profitUsd,
    returnRatio: first && first.equityUsd > 0 ? profitUsd! / first.equityUsd : null,
    maxDrawdown: drawdowns.length > 0 ? Math.max(...drawdowns) : null,
    sharpe: hasMeaning && deviation > 1e-15 ? mean / deviation : null,
    sortino: hasMeaning && downside > 0 ? mean / downside : null,
    sampleMs,
    exposure: length > 0 ? heldTime(fills, first!.at, last!.at) / length : null,
    trades: trades.length,
    winRate: trades.length > 0 ? trades.filter((won) => won).length / trades.length : null,
    feesUsd: total(({ feeUsd }) => feeUsd),
    slippageUsd: total(({ slippageUsd }) => slippageUsd),
    turnoverUsd: total(({ valueUsd }) => valueUsd),
    notCurrentMs: curve.reduce((sum, each, index) => {
      return each.isCurrent ? sum : sum + (curve[index + 1]?.at ?? each.at) - each.at
    }, 0),
  }
}

/** The quantity and the average price after some fills of a token. */
const holdingAfter = (fills: readonly Filled[]) => {
  let [held, average] = [0, 0]
  for (const { side, quantity, price } of fills) {
    const change = side === 'buy' ? Number(quantity) : -Number(quantity)
    const after = held + change
    if (held * change >= 0) average = (average * held + price * change) / after
    else if (held * after < 0) average = price
    held = after
  }
  return { held, average }
}

/** Undefined if the fill opens; otherwise whether its price is better than the average. */
const closes = (fill: Filled, before: readonly Filled[]): boolean | undefined => {
  const { held, average } = holdingAfter(before.filter(({ symbol }) => symbol === fill.symbol))
  if (fill.side === 'sell') return held > 0 ? fill.price > average + 1e-12 : undefined
  return held < 0 ? fill.price < average - 1e-12 : undefined
}

const heldTime = (fills: readonly Filled[], from: number, to: number): number => {
  const times = [...new Set([from, ...fills.map(({ at }) => at), to])].sort((a, b) => a - b)
  return times.slice(1).reduce((sum, until, index) => {
    const since = times[index]!
    const before = fills.filter(({ at }) => at <= since)
    const isHeld = ['A', 'B'].some(
      (symbol) => holdingAfter(before.filter((each) => each.symbol === symbol)).held !== 0,
    )
    return isHeld ? sum + until - since : sum
  }, 0)
}

describe('summaryOf', () => {
  it('has the figures of the plain formulas', () => {
    fc.assert(
      fc.property(randomEvents, fc.constantFrom(1_000, 60_000, 150_000), (events, sampleMs) => {
        const [actual, expected] = [summaryOf(events, { sampleMs }), plain(events, sampleMs)]
        for (const name of Object.keys(expected) as (keyof Summary)[]) {
          const value = expected[name]
          if (value === null) expect(actual[name], name).toBe(null)
          else expect(actual[name], name).toBeCloseTo(value, 9)
        }
        expect(Object.keys(actual)).toEqual(Object.keys(expected))
      }),
    )
  })

  it('has null where a figure has no meaning', () => {
    expect(summaryOf([])).toEqual({
      ...{ profitUsd: null, returnRatio: null, maxDrawdown: null, sharpe: null, sortino: null },
      ...{ sampleMs: 60_000, exposure: null, trades: 0, winRate: null },
      ...{ feesUsd: 0, slippageUsd: 0, turnoverUsd: 0, notCurrentMs: 0 },
    })
    const equalReturns = [100, 110, 121, 133.1].map((usd, minute) => equity(minute * 60_000, usd))
    expect(summaryOf(equalReturns)).toMatchObject({ sharpe: null, sortino: null, maxDrawdown: 0 })
    expect(summaryOf([equity(0, 100)])).toMatchObject({ profitUsd: 0, sharpe: null, exposure: null })
  })

  it('counts the time without a current price', () => {
    const events = [equity(0, 100), equity(1_000, 100, false), equity(4_000, 90, false), equity(9_000, 95)]
    expect(summaryOf(events)).toMatchObject({ notCurrentMs: 8_000, maxDrawdown: 0.1, profitUsd: -5 })
  })

  it('takes one sample a multiple, also over a year without data', () => {
    const year = 365 * 24 * 3_600_000
    expect(summaryOf([equity(0, 100), equity(year, 110)], { sampleMs: 1 }).sharpe).toBeCloseTo(
      0.1 / year / Math.sqrt(0.01 / year),
      9,
    )
  })

  it('throws for a distance of samples that is not valid', () => {
    expect(() => summaryOf([], { sampleMs: 0 })).toThrow(ConfigurationError)
    const misspelt: object = { sampleMS: 1000 }
    expect(() => summaryOf([], misspelt)).toThrow('sampleMS: did you mean sampleMs?')
  })
})
