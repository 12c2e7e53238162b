import { pathToFileURL } from 'node:url'
import { right } from 'fp-ts/lib/Either.js'
import { concatMap, lastValueFrom, merge, mergeMap, timer, toArray } from 'rxjs'
import { rights } from 'svc-streams/operators'
import { market, paper, type MarketClient, type PaperAccount } from 'svc-streams/paper'
import { depth } from 'svc-streams/testing'
import { expect, it } from 'vitest'
import type { Row } from '../../../src/backtest/recording/codec/row.js'
import { runInProcess } from '../../cli/support/in-process.js'
import {
  collect,
  header,
  priceRow,
  recordingText,
  replayAtOnce,
  start,
  topic,
} from '../recording/support/recordings.js'
import { forProcess, newModule, runSweep } from '../sweep/support/run-sweep.js'
import { account, tokens } from './support/scenario.js'

// A replay continues a promise in real time. What it decides belongs to the time of the recording.

const side = { totalQuantity: 1_000_000n, totalQuantityUsd: 1 }
const rows = Array.from({ length: 10 }, (_, second): readonly Row[] => {
  const at = start + 1_000 * second
  const event = right(depth('0xab', { buy: side, sell: side, timestamp: at, receivedAt: at }))
  return [{ _tag: 'Depth', at, mint: '0xab', event }, priceRow(1_000 * second, 10 + second)]
}).flat()

it('an order after a promise is decided at the time of the recording, and so are the timers of a fill', async () => {
  const strategy$ = ({ price$ }: MarketClient, { fill$ }: PaperAccount) =>
    merge(
      price$(topic).pipe(
        rights(),
        concatMap(async ({ price }) => {
          await Promise.resolve()
          return price === 12 ? [market('X', 'buy', { units: 100n })] : []
        }),
        mergeMap((orders) => orders),
      ),
      fill$.pipe(
        mergeMap((_, index) => (index === 0 ? timer(2_500) : [])),
        mergeMap(() => [market('X', 'sell', { units: 100n })]),
      ),
    )
  const run$ = replayAtOnce(...rows).run$((client) =>
    paper(client, strategy$, { ...account, tokens: { X: tokens.X }, latency: 100 }).pipe(toArray()),
  )
  const fills = (await lastValueFrom(run$)).flatMap((event) => (event._tag === 'Filled' ? [event] : []))
  expect(fills.map(({ decidedAt, at, price }) => [decidedAt - start, at - start, price])).toEqual([
    [2_000, 3_000, 13],
    [5_500, 6_000, 16],
  ])
})

it('an order after the promise of a timer between two rows is decided at the time of the timer', async () => {
  const strategy$ = () => timer(2_500).pipe(mergeMap(async () => market('X', 'buy', { units: 100n })))
  const run$ = replayAtOnce(...rows).run$((client) =>
    paper(client, strategy$, { ...account, tokens: { X: tokens.X }, latency: 100 }).pipe(toArray()),
  )
  const fills = (await lastValueFrom(run$)).flatMap((event) => (event._tag === 'Filled' ? [event] : []))
  expect(fills.map(({ decidedAt, at }) => [decidedAt - start, at - start])).toEqual([[2_500, 3_000]])
})

it('values and orders of the warm-up do not count after a promise either', async () => {
  const file = newModule('market.ndjson', recordingText({ ...header, mints: ['0xab'] }, ...rows))
  const text = (value: string, options: string) => `
    import { concatMap } from 'rxjs'
    import { defineTokens } from 'svc-streams'
    import { market } from 'svc-streams/paper'
    const tokens = defineTokens({ X: { address: '0xab', decimals: 2 } })
    ${options}
    export default (client) => client.price$('svc-0xab').pipe(concatMap(async (event) => {
      await Promise.resolve()
      return ${value}
    }))`
  const from = start + 7_000
  const values = pathToFileURL(newModule('values.mjs', text('event.right.price', '')))
  expect(await collect(runSweep(file, [null as never], { from, warmUp: 5_000 }, {}, values))).toMatchObject([
    right({ values: [17, 18, 19] }),
  ])
  const options =
    'export const options = { tokens, cash: 10_000, feeBps: 0, slippageBps: 0, latency: 100, warmUp: 5_000 }'
  const strategy = newModule('orders.mjs', text("market('X', 'buy', { units: 100n })", options))
  const [result] = await collect(
    runSweep<{ readonly summary: object }>(file, [null as never], { from }, {}, pathToFileURL(strategy)),
  )
  expect(result).toMatchObject(right({ values: [{ summary: { fills: 2, profitUsd: 1 } }] }))
  const { stdout } = await runInProcess([
    'backtest',
    file,
    forProcess(strategy),
    '--json',
    '--from',
    new Date(from).toISOString(),
  ])
  expect(stdout).toContain(`{"_tag":"Equity","at":${from},"equityUsd":10000`)
  expect(stdout).toContain('"profitUsd":1,')
})
