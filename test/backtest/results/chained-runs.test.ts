import fc from 'fast-check'
import { summaryOf, type Equity, type PaperEvent, type RoundTrip } from 'svc-streams/paper'
import { describe, expect, it } from 'vitest'
import { RunFold } from '../../../src/backtest/results/run-fold.js'
import { randomEvents } from './support/events.js'

const foldOf = (events: readonly PaperEvent[]): RunFold => {
  const run = new RunFold(true)
  for (const event of events) run.add(event)
  return run
}

const chainOf = (runs: readonly (readonly PaperEvent[])[]): RunFold => {
  const chain = new RunFold(true)
  for (const events of runs) {
    chain.addRun(foldOf(events).folded)
  }
  return chain
}

const equitiesOf = (events: readonly PaperEvent[]): readonly Equity[] =>
  events.filter((event) => event._tag === 'Equity')

/** Each run an hour after the one before. Their equity is above 0. */
const runs = fc.array(randomEvents, { minLength: 1, maxLength: 4 }).map((all) => {
  let offset = 0
  return all.map((events) => {
    const moved = events.map((event): PaperEvent => {
      const later = 'at' in event ? { ...event, at: event.at + offset } : event
      return later._tag === 'Equity' ? { ...later, equityUsd: Math.max(later.equityUsd, 500) } : later
    })
    offset += 3_600_000 + (equitiesOf(events).at(-1)?.at ?? 0) - (equitiesOf(events)[0]?.at ?? 0)
    return moved
  })
})

/** The equities of all runs as one curve, in which each run continues the one before. */
const chained = (all: readonly (readonly PaperEvent[])[]): readonly Equity[] => {
  const curve: Equity[] = []
  for (const events of all) {
    const equities = equitiesOf(events)
    const factor = (curve.at(-1)?.equityUsd ?? equities[0]?.equityUsd ?? 1) / (equities[0]?.equityUsd ?? 1)
    curve.push(...equities.map((each) => ({ ...each, equityUsd: each.equityUsd * factor })))
  }
  return curve
}

/** In ms. */
const spanOf = (curve: readonly Equity[]): number => (curve.at(-1)?.at ?? 0) - (curve[0]?.at ?? 0)

const product = (ratios: readonly (number | null)[]): number =>
  ratios.reduce<number>((all, ratio) => all * (1 + (ratio ?? 0)), 1) - 1

describe('chained runs', () => {
  it('have the figures of the chained curve, and of the round trips of all', () => {
    fc.assert(
      fc.property(runs, (all) => {
        const { summary, trades } = chainOf(all)
        const each = all.map((events) => summaryOf(events))
        const curve = summaryOf(chained(all))
        const close = (value: number | null) => (value === null ? null : (expect.closeTo(value, 9) as number))
        expect(summary).toMatchObject({
          returnRatio: close(curve.returnRatio),
          profitUsd: curve.profitUsd === null ? null : (expect.closeTo(curve.profitUsd, 6) as number),
          maxDrawdown: close(curve.maxDrawdown),
          longestDrawdownMs: curve.longestDrawdownMs,
          buyAndHold: Object.fromEntries(
            Object.entries(curve.buyAndHold).map(([symbol, gain]) => [symbol, close(gain)]),
          ),
        })
        if (curve.returnRatio !== null)
          expect(summary.returnRatio).toBeCloseTo(product(each.map(({ returnRatio }) => returnRatio)), 9)
        const trips = all.flatMap((events) => foldOf(events).trades.trips)
        const won = trips.filter(({ netUsd }: RoundTrip) => netUsd > 0)
        expect(summary.roundTrips).toBe(trips.length)
        expect(summary.winRate).toEqual(trips.length === 0 ? null : won.length / trips.length)
        const held = each.reduce(
          (sum, { exposure }, i) => sum + (exposure ?? 0) * spanOf(equitiesOf(all[i]!)),
          0,
        )
        const span = spanOf(chained(all))
        expect(summary.exposure).toEqual(span === 0 ? null : expect.closeTo(held / span, 9))
        expect(trades.equity).toHaveLength(chained(all).length)
      }),
    )
  })

  it('have the drawdown of all values of long runs, current or not', () => {
    const long = [0, 1].map((run) =>
      Array.from({ length: 5_000 }, (_, index): Equity => {
        const at = 1_700_000_000_000 + (5_000 * run + index) * 1_000
        // The highest value of the first run, and the lowest one of the second run, are not current.
        const isExtreme = index === 3_333
        const equityUsd = isExtreme ? [2_000, 500][run]! : 1_000 + (index % 7)
        return { _tag: 'Equity', at, equityUsd, isCurrent: !isExtreme && index % 3 > 0, prices: {} }
      }),
    )
    expect(chainOf(long).summary.maxDrawdown).toBe(summaryOf(chained(long)).maxDrawdown)
  })

  it('do not regain what a run before has lost in whole, and gain nothing as a loss', () => {
    const run = (at: number, ...values: readonly number[]) =>
      values.map((equityUsd, index): Equity => ({
        ...{ _tag: 'Equity', at: at + index * 1_000, equityUsd, isCurrent: true, prices: {} },
      }))
    const { summary } = chainOf([run(0, 1_000, -200), run(10_000, 1_000, 1_500), run(20_000, 1_000, 900)])
    expect(summary).toMatchObject({ profitUsd: -1_200, returnRatio: -1.2, maxDrawdown: 1.2 })
  })

  it('have the annual figures of the returns of each, without one from run to run', () => {
    const minutes = (start: number, factor: number) =>
      Array.from({ length: 40 }, (_, minute): Equity => {
        const equityUsd = 100 * factor ** minute * (minute % 2 === 0 ? 1 : 1.01)
        return { _tag: 'Equity', at: start + minute * 60_000, equityUsd, isCurrent: true, prices: {} }
      })
    const all = [minutes(0, 1.001), minutes(86_400_000, 0.999)]
    const returns = all.flatMap((run) =>
      run.slice(1).map(({ equityUsd }, index) => equityUsd / (run[index]?.equityUsd ?? 1) - 1),
    )
    const mean = returns.reduce((sum, each) => sum + each, 0) / returns.length
    const variance = returns.reduce((sum, each) => sum + (each - mean) ** 2, 0) / returns.length
    const root = Math.sqrt(365 * 24 * 60)
    const { returnRatio, annual } = chainOf(all).summary
    // The time between the runs counts, as of one account without a position.
    const years = (86_400_000 + 39 * 60_000) / (365 * 86_400_000)
    expect(annual).toMatchObject({
      returnRatio: expect.closeTo((1 + returnRatio!) ** (1 / years) - 1, 9) as number,
      volatility: expect.closeTo(Math.sqrt(variance) * root, 9) as number,
      sharpe: expect.closeTo((mean / Math.sqrt(variance)) * root, 9) as number,
    })
  })
})
