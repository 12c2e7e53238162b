import fc from 'fast-check'
import { ConfigurationError } from 'svc-streams'
import {
  market,
  roundTripsOf,
  summary,
  summaryOf,
  type Equity,
  type Filled,
  type PaperEvent,
  type RoundTrip,
  type Summary,
} from 'svc-streams/paper'
import { describe, expect, it } from 'vitest'
import { randomEvents } from './support/events.js'

const equity = (at: number, equityUsd: number, isCurrent = true): Equity => ({
  _tag: 'Equity',
  ...{ at, equityUsd, isCurrent, prices: {} },
})

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

const year = 365 * 24 * 3_600_000

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null)

/** Each figure by its plain formula. */
const plain = (events: readonly PaperEvent[], sampleMs: number): Summary => {
  const curve = events.filter((event) => event._tag === 'Equity')
  const fills = events.filter((event) => event._tag === 'Filled')
  const [first, last] = [curve[0], curve.at(-1)]
  const samples: (number | undefined)[] = []
  if (first && last)
    for (let at = Math.ceil(first.at / sampleMs) * sampleMs; at <= last.at; at += sampleMs) {
      const sample = curve.findLast((each) => each.at <= at)!
      samples.push(sample.isCurrent ? sample.equityUsd : undefined)
    }
  const returns = samples.slice(1).flatMap((value, index) => {
    const before = samples[index]
    return value === undefined || before === undefined ? [] : [value / before - 1]
  })
  const current = samples.filter((value) => value !== undefined)
  const hasMeaning = current.length >= 30 && returns.length > 0 && current.every((value) => value > 0)
  const mean = meanOf(returns)
  const deviation = Math.sqrt(meanOf(returns.map((each) => (each - mean) ** 2)))
  const downside = Math.sqrt(meanOf(returns.map((each) => (each < 0 ? each ** 2 : 0))))
  const root = Math.sqrt(year / sampleMs)
  const highestAt = (index: number): number =>
    Math.max(...curve.slice(0, index + 1).map((each) => each.equityUsd))
  const drawdowns = curve.flatMap(({ equityUsd }, index) =>
    highestAt(index) > 0 ? [(highestAt(index) - equityUsd) / highestAt(index)] : [],
  )
  const highs = curve.filter(({ equityUsd }, index) => index === 0 || equityUsd >= highestAt(index - 1))
  const highTimes = highs.map(({ at }, index) => (highs[index + 1]?.at ?? last!.at) - at)
  const profitUsd = first && last ? last.equityUsd - first.equityUsd : null
  const returnRatio = first && first.equityUsd > 0 ? profitUsd! / first.equityUsd : null
  const length = first && last ? last.at - first.at : 0
  const total = (of: (fill: Filled) => number): number => fills.reduce((sum, fill) => sum + of(fill), 0)
  const nets = plainTrips(events).map(({ netUsd }) => netUsd)
  const [won, lost] = [nets.filter((net) => net > 0), nets.filter((net) => net <= 0)]
  const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)
  const pricesOf = (symbol: string) => curve.flatMap(({ prices }) => prices[symbol] ?? [])
  return {
    profitUsd,
    returnRatio,
    maxDrawdown: drawdowns.length > 0 ? Math.max(...drawdowns) : null,
    longestDrawdownMs: last ? Math.max(...highTimes) : null,
    annual: hasMeaning
      ? {
          returnRatio: length > 0 ? finite(Math.max(0, 1 + returnRatio!) ** (year / length) - 1) : null,
          volatility: deviation >= 1e-9 ? deviation * root : null,
          sharpe: deviation >= 1e-9 ? (mean / deviation) * root : null,
          sortino: downside >= 1e-9 ? (mean / downside) * root : null,
        }
      : null,
    sampleMs,
    exposure: length > 0 ? heldTime(fills, first!.at, last!.at) / length : null,
    roundTrips: nets.length,
    winRate: nets.length > 0 ? won.length / nets.length : null,
    expectancyUsd: nets.length > 0 ? sum(nets) / nets.length : null,
    profitFactor: sum(lost) < 0 ? sum(won) / -sum(lost) : null,
    fills: fills.length,
    feesUsd: total(({ feeUsd }) => feeUsd),
    slippageUsd: total(({ slippageUsd }) => slippageUsd),
    turnoverUsd: total(({ valueUsd }) => valueUsd),
    notCurrentMs: curve.reduce((all, each, index) => {
      return each.isCurrent ? all : all + (curve[index + 1]?.at ?? each.at) - each.at
    }, 0),
    buyAndHold: Object.fromEntries(
      ['A', 'B']
        .filter((symbol) => pricesOf(symbol).length > 0)
        .map((symbol) => {
          const prices = pricesOf(symbol)
          return [symbol, prices.at(-1)! / prices[0]! - 1]
        }),
    ),
  }
}

/** The round trips, by the fills of each token cut at each change of the sign of the position. One unit is one token. */
const plainTrips = (events: readonly PaperEvent[]): readonly RoundTrip[] => {
  const trips = ['A', 'B'].flatMap((symbol) => {
    const fills = events.flatMap((event, index) =>
      event._tag === 'Filled' && event.symbol === symbol ? [{ ...event, index }] : [],
    )
    // Each unit of a fill is a trade of its own.
    const units = fills.flatMap(({ quantity, side, price, feeUsd, at, index }) =>
      Array.from({ length: Number(quantity) }, () => ({
        ...{ change: side === 'buy' ? 1 : -1, price, fee: feeUsd / Number(quantity), at, index },
      })),
    )
    const all: { readonly index: number; readonly trip: RoundTrip }[] = []
    let held = 0
    let part: typeof units = []
    for (const unit of units) {
      part.push(unit)
      held += unit.change
      if (held !== 0) continue
      const sign = part[0]!.change
      const average = (of: typeof units): number => meanOf(of.map(({ price }) => price))
      const entries = part.filter(({ change }) => change === sign)
      const exits = part.filter(({ change }) => change !== sign)
      const gain = (average(exits) - average(entries)) * entries.length * sign
      all.push({
        index: unit.index,
        trip: {
          ...{ symbol, side: sign > 0 ? 'buy' : 'sell', from: part[0]!.at, to: unit.at },
          ...{ quantity: BigInt(entries.length), entryPrice: average(entries), exitPrice: average(exits) },
          netUsd: gain - part.reduce((sum, { fee }) => sum + fee, 0),
          ...plainExtremes(events, symbol, part),
        },
      })
      part = []
    }
    return all
  })
  return trips.sort((a, b) => a.index - b.index).map(({ trip }) => trip)
}

interface Unit {
  readonly change: number
  readonly price: number
  readonly fee: number
  /** Of the fill, among the events. */
  readonly index: number
}

/** The lowest and the highest value of a round trip: after each of its fills, and at each price of the token in between. */
const plainExtremes = (events: readonly PaperEvent[], symbol: string, units: readonly Unit[]) => {
  const [from, to] = [units[0]!.index, units.at(-1)!.index]
  const values = events.slice(from, to + 1).flatMap((event, offset) => {
    const index = from + offset
    const isOwnFill = event._tag === 'Filled' && event.symbol === symbol
    const price = event._tag === 'Equity' ? event.prices[symbol] : isOwnFill ? event.price : undefined
    if (price === undefined) return []
    const before = units.filter((unit) => unit.index <= index)
    return [before.reduce((sum, unit) => sum + unit.change * (price - unit.price) - unit.fee, 0)]
  })
  return { worstUsd: Math.min(...values), bestUsd: Math.max(...values) }
}

/** The quantity after some fills of a token. */
const heldAfter = (fills: readonly Filled[]): number =>
  fills.reduce(
    (held, { side, quantity }) => held + (side === 'buy' ? Number(quantity) : -Number(quantity)),
    0,
  )

const heldTime = (fills: readonly Filled[], from: number, to: number): number => {
  const times = [...new Set([from, ...fills.map(({ at }) => at), to])].sort((a, b) => a - b)
  return times.slice(1).reduce((sum, until, index) => {
    const since = times[index]!
    const before = fills.filter(({ at }) => at <= since)
    const isHeld = ['A', 'B'].some(
      (symbol) => heldAfter(before.filter((each) => each.symbol === symbol)) !== 0,
    )
    return isHeld ? sum + until - since : sum
  }, 0)
}

/** Expects equal numbers up to the rounding of doubles, and all else equal. */
const expectClose = (actual: unknown, expected: unknown, name: string): void => {
  if (typeof expected === 'number') {
    const tolerance = 1e-9 * Math.max(1, Math.abs(expected))
    expect(
      Math.abs((actual as number) - expected),
      `${name}: ${String(actual)}, not ${expected}`,
    ).toBeLessThanOrEqual(tolerance)
  } else if (typeof expected === 'object' && expected !== null && actual !== null) {
    expect(Object.keys(actual as object).sort(), name).toEqual(Object.keys(expected).sort())
    for (const [key, value] of Object.entries(expected))
      expectClose((actual as Record<string, unknown>)[key], value, `${name}.${key}`)
  } else expect(actual, name).toEqual(expected)
}

const timeOf = (event: PaperEvent | undefined): number =>
  event !== undefined && 'at' in event ? event.at : 0

describe('summaryOf', () => {
  const sampling = fc.constantFrom(1_000, 60_000, 150_000)

  it('has the figures of the plain formulas', () => {
    fc.assert(
      fc.property(randomEvents, sampling, (events, sampleMs) => {
        const [actual, expected] = [summaryOf(events, { sampleMs }), plain(events, sampleMs)]
        expectClose(actual, expected, 'summary')
      }),
    )
  })

  it('has the round trips of the single units', () => {
    fc.assert(
      fc.property(randomEvents, (events) => {
        expectClose(roundTripsOf(events), plainTrips(events), 'trips')
      }),
    )
  })

  it('has the worst and the best value of a round trip in between, after the fees so far', () => {
    const at = (price: number): Equity => ({ ...equity(0, 1), prices: { X: price } })
    const fill = (side: 'buy' | 'sell', price: number): Filled => ({
      ...{ _tag: 'Filled', id: '1', order: market('X', side, { units: 10n }), symbol: 'X', side },
      ...{ decidedAt: 0, at: 0, price, quantity: 10n, remaining: 0n, slippageUsd: 0 },
      ...{ valueUsd: 10 * price, feeUsd: 1 },
    })
    const events = [fill('buy', 100), at(90), at(130), fill('sell', 110)]
    expect(roundTripsOf(events)).toMatchObject([{ netUsd: 98, worstUsd: -101, bestUsd: 299 }])
    const short = [fill('sell', 100), at(90), at(130), fill('buy', 110)]
    expect(roundTripsOf(short)).toMatchObject([{ side: 'sell', netUsd: -102, worstUsd: -301, bestUsd: 99 }])
    // With a slippage of 10000 basis points, a sell gets nothing.
    const nothing = [fill('buy', 100), fill('sell', 0)]
    expect(roundTripsOf(nothing)).toMatchObject([{ exitPrice: 0, netUsd: -1_002, worstUsd: -1_002 }])
  })

  it('has null where a figure has no meaning', () => {
    expect(summaryOf([])).toEqual({
      ...{ profitUsd: null, returnRatio: null, maxDrawdown: null, longestDrawdownMs: null, annual: null },
      ...{ sampleMs: 60_000, exposure: null, roundTrips: 0, winRate: null, expectancyUsd: null },
      ...{ profitFactor: null, fills: 0, feesUsd: 0, slippageUsd: 0, turnoverUsd: 0, notCurrentMs: 0 },
      buyAndHold: {},
    })
    expect(summaryOf([equity(0, 100)])).toMatchObject({ profitUsd: 0, annual: null, exposure: null })
  })

  const minutes = (count: number, valueOf: (minute: number) => number): readonly Equity[] =>
    Array.from({ length: count }, (_, minute) => equity(minute * 60_000, valueOf(minute)))

  it('has no deviation of constant growth, and no annual figures below 30 samples', () => {
    const growth = (minute: number): number => 100 * 1.001 ** minute
    expect(summaryOf(minutes(29, growth)).annual).toBe(null)
    const { annual, longestDrawdownMs } = summaryOf(minutes(30, growth))
    expect(annual).toMatchObject({ volatility: null, sharpe: null, sortino: null })
    expect(annual!.returnRatio).toBeGreaterThan(1e100)
    expect(longestDrawdownMs).toBe(60_000)
  })

  it('has no return a year that is larger than a number can be', () => {
    const { annual } = summaryOf(minutes(60, (minute) => 100 * (1 + minute)))
    expect(annual).toMatchObject({ returnRatio: null, volatility: expect.any(Number) as number })
  })

  it('is per year of 365 days', () => {
    const { annual } = summaryOf(minutes(101, (minute) => 100 + (minute % 2)))
    const [up, down] = [1 / 100, -1 / 101]
    const [mean, deviation] = [(up + down) / 2, (up - down) / 2]
    const root = Math.sqrt(365 * 24 * 60)
    expect(annual!.volatility).toBeCloseTo(deviation * root, 9)
    expect(annual!.sharpe).toBeCloseTo((mean / deviation) * root, 9)
    expect(annual!.sortino).toBeCloseTo((mean / Math.sqrt(down ** 2 / 2)) * root, 9)
  })

  it('leaves out returns over a time in which a price was not current', () => {
    const steady = minutes(40, (minute) => 100 + (minute % 2))
    const gap = steady.map((each, minute) => (minute === 20 ? equity(each.at, 1, false) : each))
    const left = summaryOf(gap).annual!
    const returns = steady
      .slice(1)
      .flatMap(({ equityUsd }, index) =>
        index === 19 || index === 20 ? [] : [equityUsd / steady[index]!.equityUsd - 1],
      )
    const mean = meanOf(returns)
    const deviation = Math.sqrt(meanOf(returns.map((each) => (each - mean) ** 2)))
    expect(left.sharpe).toBeCloseTo((mean / deviation) * Math.sqrt(365 * 24 * 60), 6)
  })

  it('as a fold has the same figures at each time, and counts from a time on', () => {
    fc.assert(
      fc.property(randomEvents, sampling, fc.nat(25), (events, sampleMs, index) => {
        const from = timeOf(events[index])
        const { add, result } = summary({ sampleMs, from })
        const later = events.filter((event) => timeOf(event) >= from)
        for (const [number, event] of events.entries()) {
          add(event)
          if (number % 5 === 0) result()
        }
        expect(result()).toEqual(summaryOf(later, { sampleMs }))
      }),
    )
  })

  it('counts the time without a current price', () => {
    const events = [equity(0, 100), equity(1_000, 100, false), equity(4_000, 90, false), equity(9_000, 95)]
    expect(summaryOf(events)).toMatchObject({ notCurrentMs: 8_000, maxDrawdown: 0.1, profitUsd: -5 })
  })

  it('counts a position between the first and the last value alone, whatever was filled before and after', () => {
    const fill = (at: number, side: 'buy' | 'sell'): Filled => ({
      ...{ _tag: 'Filled', id: '1', order: market('X', side, { units: 1n }), symbol: 'X', side },
      ...{
        decidedAt: at,
        at,
        price: 10,
        quantity: 1n,
        remaining: 0n,
        slippageUsd: 0,
        valueUsd: 10,
        feeUsd: 0,
      },
    })
    const values = [equity(10, 1), equity(20, 1)]
    expect(summaryOf([fill(0, 'buy'), ...values]).exposure).toBe(1)
    expect(summaryOf([fill(0, 'buy'), ...values, fill(50, 'sell')]).exposure).toBe(1)
    expect(summaryOf([...values, fill(50, 'buy'), fill(60, 'sell')]).exposure).toBe(0)
    expect(summaryOf([fill(0, 'buy'), equity(10, 1), fill(15, 'sell'), equity(20, 1)]).exposure).toBe(0.5)
  })

  it('takes one sample a multiple, also over a year without data', () => {
    const { annual } = summaryOf([equity(0, 100), equity(year, 110)], { sampleMs: 1 })
    expect(annual!.sharpe).toBeCloseTo((0.1 / year / Math.sqrt(0.01 / year)) * Math.sqrt(year), 6)
    expect(annual!.returnRatio).toBeCloseTo(0.1, 9)
  })

  it('throws for a distance of samples that is not valid', () => {
    expect(() => summaryOf([], { sampleMs: 0 })).toThrow(ConfigurationError)
    const misspelt: object = { sampleMS: 1000 }
    expect(() => summaryOf([], misspelt)).toThrow('sampleMS: did you mean sampleMs?')
  })
})
