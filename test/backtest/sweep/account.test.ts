import { pathToFileURL } from 'node:url'
import { isRight, right } from 'fp-ts/lib/Either.js'
import type { Folded, SweepOptions } from 'svc-streams/sweep'
import { depth } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import type { Row } from '../../../src/backtest/recording/codec/row.js'
import { walkForwardOn } from '../../../src/backtest/sweep/walk-forward.js'
import { collect, header, priceRow, recordingText, start } from '../recording/support/recordings.js'
import { compiledProgram, newModule, runSweep } from './support/run-sweep.js'

/** A price each second: 10, 11, 12, …, and a depth before each. */
const recording = (): string => {
  const side = { totalQuantity: 1_000_000n, totalQuantityUsd: 1 }
  const rows = Array.from({ length: 60 }, (_, index): readonly Row[] => {
    const at = start + 1_000 * index
    const event = right(depth('0xab', { buy: side, sell: side, timestamp: at, receivedAt: at }))
    return [{ _tag: 'Depth', at, mint: '0xab', event }, priceRow(1_000 * index, 10 + index)]
  })
  return newModule('market.ndjson', recordingText({ ...header, mints: ['0xab'] }, ...rows.flat()))
}

const tokens = "defineTokens({ X: { address: '0xab', decimals: 0 } })"
const account = `{ tokens: ${tokens}, cash: 1_000, feeBps: 100, slippageBps: 0, latency: 0, maxLeverage: 10 }`

/** Buys a token at the price of each second of \`seconds\`, counted from the first price that it sees. */
const orders = `
import { filter, map } from 'rxjs'
import { defineTokens } from 'svc-streams'
import { rights } from 'svc-streams/operators'
import { market, paper } from 'svc-streams/paper'
const order$ = (client, seconds) => client.price$('svc-0xab').pipe(
  rights(),
  filter(({ price }) => seconds.includes(price - 10)),
  map(() => market('X', 'buy', { units: 10n })),
)`

const modules = {
  'with options': `${orders}
export const options = ${account}
export default (client, own, seconds) => order$(client, seconds)`,
  'that calls paper itself, with a copy of its client': `${orders}
export default (client, seconds) => paper({ ...client }, (own) => order$(own, seconds), ${account})`,
}

const module = (text: string): URL => pathToFileURL(newModule('strategy.mjs', text))

describe.each(Object.entries(modules))('a sweep of a strategy %s', (_, text) => {
  const foldedOf = async (seconds: readonly number[], options = {}): Promise<Folded> => {
    const parameter = seconds as never
    const [result] = await collect(runSweep<Folded>(recording(), [parameter], options, {}, module(text)))
    if (result === undefined || !isRight(result)) throw new Error(JSON.stringify(result))
    expect(result.right.values).toHaveLength(1)
    return result.right.values[0]!
  }

  it('has the folded events of the account as its only value', async () => {
    const { _tag, summary, curve } = await foldedOf([1])
    expect(_tag).toBe('Folded')
    // Bought at 11 with a fee of 1.10, last price 69.
    expect(summary).toMatchObject({ fills: 1, roundTrips: 0, profitUsd: expect.closeTo(578.9, 9) as number })
    expect(curve[0]).toEqual({ at: start, equityUsd: 1_000 })
    expect(curve.at(-1)).toEqual({ at: start + 59_000, equityUsd: expect.closeTo(1_578.9, 9) as number })
  })

  it('starts flat after a warm-up, whose orders are not executed', async () => {
    const options = { from: start + 30_000, to: start + 40_000, warmUp: 20_000 }
    const { summary, curve } = await foldedOf([15, 29, 35], options)
    expect(summary).toMatchObject({ fills: 1, feesUsd: 4.5 })
    expect(summary.exposure).toBeCloseTo(4 / 9, 9)
    expect(summary.profitUsd).toBeCloseTo(40 - 4.5, 9)
    expect(curve[0]).toEqual({ at: start + 30_000, equityUsd: 1_000 })
  })
})

it('plays without the warm-up of the options of the account with a warm-up of 0', async () => {
  const text = modules['with options'].replace('cash:', 'warmUp: 20_000, cash:')
  const fillsOf = async (options: SweepOptions): Promise<number> => {
    const [result] = await collect(
      runSweep<Folded>(recording(), [[5, 25] as never], options, {}, module(text)),
    )
    return result !== undefined && isRight(result) ? result.right.values[0]!.summary.fills : NaN
  }
  expect([await fillsOf({}), await fillsOf({ warmUp: 0 })]).toEqual([1, 2])
})

describe.each(Object.entries(modules))('a walk-forward of a strategy %s', (_, text) => {
  it('starts and ends flat in each window, with the costs of the last trades', async () => {
    const seconds = Array.from({ length: 60 }, (_, second) => second).filter((second) => second % 5 === 0)
    const walk = walkForwardOn({ program: () => ({ url: compiledProgram() }) })
    const results = await collect(
      walk<readonly number[], Folded>(recording(), module(text), [seconds], {
        ...{ train: 20_000, test: 10_000, warmUp: 10_000, workers: 1 },
        score: ([folded]) => folded?.summary.profitUsd ?? NaN,
      }),
    )
    const summaries = results.map((result) => (isRight(result) ? result.right.values[0]!.summary : result))
    expect(summaries).toHaveLength(3)
    // Of the first: bought at 30 and 35, closed at 39.
    const [first] = summaries
    expect(first).toMatchObject({ fills: 3, roundTrips: 1, winRate: 1 })
    expect(first).toMatchObject({ feesUsd: expect.closeTo(3 + 3.5 + 7.8, 9) as number, exposure: 1 })
    expect(first).toMatchObject({ profitUsd: expect.closeTo(90 + 40 - 14.3, 9) as number })
  })
})
