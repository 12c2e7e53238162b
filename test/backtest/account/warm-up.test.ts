import fc from 'fast-check'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isRight, right } from 'fp-ts/lib/Either.js'
import { map, merge, skip, take, timer } from 'rxjs'
import { limit, market, paper, summaryOf, type MarketClient, type PaperEvent } from 'svc-streams/paper'
import { replay } from 'svc-streams/recording'
import type { Folded } from 'svc-streams/sweep'
import { depth, price } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { withTerms } from '../../../src/backtest/account/terms.js'
import type { MarketEvent } from '../../../src/backtest/account/order-gate.js'
import type { Row } from '../../../src/backtest/recording/codec/row.js'
import { bigintAsText } from '../../../src/base/domain/plain-decimal.js'
import { runInProcess } from '../../cli/support/in-process.js'
import { caseCount } from '../../support/run/long.js'
import { marbles } from '../../support/time/marbles.js'
import { collect, header, priceRow, recordingText, start } from '../recording/support/recordings.js'
import { forProcess, newModule, runSweep } from '../sweep/support/run-sweep.js'
import type { Input } from './support/model.js'
import { givenMarket, options, steps, timed, tokens as randomTokens } from './support/random-inputs.js'
import { account, marbleClient, ordersAt, textOf, tokens } from './support/scenario.js'

const X = (units: bigint) => ({ units })

/** Expects all events of a run, as marbles. */
const expectEvents = (
  strategy$: Parameters<typeof paper<ReturnType<typeof marbleClient>>>[1],
  warmUp: number,
  { prices, expected }: { readonly prices: string; readonly expected: string },
): void =>
  marbles(({ hot$, expectObservable }) => {
    const client = marbleClient(hot$, { prices })
    const event$ = paper(client, strategy$, { ...account, warmUp, sampleMs: 1 })
    expectObservable(event$.pipe(map(textOf))).toBe(expected, texts)
  })

const withoutEquity = (events: readonly PaperEvent[]) => events.filter(({ _tag }) => _tag !== 'Equity')

/** The last value of each time. */
const lastEquities = (events: readonly PaperEvent[]) =>
  new Map(events.flatMap((event) => (event._tag === 'Equity' ? [[event.at, event.equityUsd]] : [])))

const texts = { B: 'buy 100 X at 12 (#1)', C: 'buy 100 X at 13 (#1)', E: 'Equity' }

describe('the warm-up of an account', () => {
  it('executes no order, emits no event, and ends in data time', () => {
    const order = market('X', 'buy', X(100n))
    const strategy = ordersAt({ 1: [order], 2: [order] })
    // The first data is the depth of frame 0: the price of frame 4 is the first one that counts.
    expectEvents(strategy, 4, {
      prices: '  -1--2----3',
      expected: '----(EBE)E',
    })
    expectEvents(strategy, 5, {
      prices: '  -1--2----3',
      expected: '---------E',
    })
    expectEvents(strategy, 50, {
      prices: '  -1--2----3',
      expected: '',
    })
  })

  it('leaves no open order behind', () => {
    const strategy = ordersAt({ 1: [limit('X', 'buy', X(100n), 15)] })
    expectEvents(strategy, 3, {
      prices: '  -1-2-3-4',
      expected: '---E-E-E',
    })
  })

  it('executes the order of a timer that is due at its end', () => {
    const order = market('X', 'buy', X(100n))
    const strategy = () => merge(timer(3), timer(5)).pipe(map(() => order))
    expectEvents(strategy, 4, {
      prices: '  -1-2-3----4',
      expected: '-----(ECE)E',
    })
  })

  it('fills no order with a price of the warm-up, whatever its time', () => {
    const { client, order$, give } = givenMarket()
    let isCounted = false
    const events: PaperEvent[] = []
    const costs = { cash: 10_000, feeBps: 0, slippageBps: 0, latency: 0 }
    const terms = { isCounted: () => isCounted, endsFlat: false }
    const run = paper(withTerms(client, terms), () => order$, { tokens: randomTokens, ...costs }).subscribe(
      (event) => events.push(event),
    )
    // A recorder whose clock was set back writes such times.
    const receivedAt = Date.now() + 3_600_000
    const side = { totalQuantity: 10n ** 20n, totalQuantityUsd: 1 }
    const { address, topic } = randomTokens.A
    const book = depth(address, { buy: side, sell: side, timestamp: 1, receivedAt })
    give({ _tag: 'Depth', symbol: 'A', event: right(book) })
    give({ _tag: 'Price', symbol: 'A', event: right(price(topic, 10, { receivedAt })) })
    isCounted = true
    give({ _tag: 'Order', order: market('A', 'buy', { units: 10n ** 18n }), decidedAt: receivedAt })
    expect(events).toEqual([])
    give({ _tag: 'Price', symbol: 'A', event: right(price(topic, 11, { receivedAt })) })
    expect(events.find(({ _tag }) => _tag === 'Filled')).toMatchObject({ price: 11 })
    run.unsubscribe()
  })

  it('warms a strategy over the start of a recording, as a sweep and a backtest do', async () => {
    const side = { totalQuantity: 1_000_000n, totalQuantityUsd: 1 }
    const rows = Array.from({ length: 10 }, (_, second): readonly Row[] => {
      const at = start + 1_000 * second
      const event = right(depth('0xab', { buy: side, sell: side, timestamp: at, receivedAt: at }))
      return [{ _tag: 'Depth', at, mint: '0xab', event }, priceRow(1_000 * second, 10 + second)]
    })
    // A recorder is started before its first data.
    const recorded = { ...header, at: start - 1_000, mints: ['0xab'] as const }
    const file = newModule('market.ndjson', recordingText(recorded, ...rows.flat()))
    // Buys once, after so many prices.
    const strategyOf = (count: number) => `
      import { map, skip, take } from 'rxjs'
      import { defineTokens } from 'svc-streams'
      import { market } from 'svc-streams/paper'
      const tokens = defineTokens({ X: { address: '0xab', decimals: 2 } })
      export const options = { tokens, cash: 10_000, feeBps: 0, slippageBps: 0, latency: 0, warmUp: 4_000 }
      export default (client) => client.price$('svc-0xab').pipe(
        skip(${count} - 1), take(1), map(() => market('X', 'buy', { units: 100n })))`
    const played = async (count: number) => {
      const strategy$ = ({ price$ }: MarketClient) =>
        price$(tokens.X.topic).pipe(
          skip(count - 1),
          take(1),
          map(() => market('X', 'buy', X(100n))),
        )
      const costs = { cash: 10_000, feeBps: 0, slippageBps: 0, latency: 0 }
      const event$ = replay(file, { speed: Infinity }).run$((client) =>
        paper(client, strategy$, { tokens: { X: tokens.X }, ...costs, warmUp: 4_000 }),
      )
      const strategy = pathToFileURL(newModule('strategy.mjs', strategyOf(count)))
      const sweep = async (options: object) => {
        const [result] = await collect(runSweep<Folded>(file, [null as never], options, {}, strategy))
        return result !== undefined && isRight(result) ? result.right.values[0]?.summary : result
      }
      const events = await collect(event$)
      expect(events[0]).toMatchObject({ _tag: 'Equity', at: start + 4_000 })
      const backtest = await runInProcess(['backtest', file, forProcess(fileURLToPath(strategy)), '--json'])
      expect(backtest.stdout.split('\n').slice(0, -2)).toEqual(
        events.map((event) => JSON.stringify(event, bigintAsText)),
      )
      const summary = summaryOf(events)
      expect(await sweep({})).toEqual(summary)
      expect(await sweep({ warmUp: 4_000 })).toEqual(summary)
      expect(await sweep({ from: start + 4_000 })).toEqual(summary)
      expect(await sweep({ from: start + 4_000, warmUp: 4_000 })).toEqual(summary)
      return summary
    }
    expect(await played(4)).toMatchObject({ fills: 0, profitUsd: 0 })
    expect(await played(5)).toMatchObject({ fills: 1, profitUsd: 5 })
  })

  it('ends at `from`, also if the clock of the recorder was set back before', async () => {
    const side = { totalQuantity: 1_000_000n, totalQuantityUsd: 1 }
    const rows = [0, 5, 2, 3, 4, 5, 6, 7].map((second, index): readonly Row[] => {
      const at = start + 1_000 * second
      const event = right(depth('0xab', { buy: side, sell: side, timestamp: at, receivedAt: at }))
      return [{ _tag: 'Depth', at, mint: '0xab', event }, priceRow(1_000 * second, 10 + index)]
    })
    const file = newModule('market.ndjson', recordingText({ ...header, mints: ['0xab'] }, ...rows.flat()))
    const strategy = newModule(
      'strategy.mjs',
      `
      import { map } from 'rxjs'
      import { defineTokens } from 'svc-streams'
      import { market } from 'svc-streams/paper'
      const tokens = defineTokens({ X: { address: '0xab', decimals: 2 } })
      export const options = { tokens, cash: 10_000, feeBps: 0, slippageBps: 0, latency: 0, warmUp: 10_000 }
      export default (client) => client.price$('svc-0xab').pipe(map(() => market('X', 'buy', { units: 100n })))`,
    )
    const from = start + 6_000
    const [result] = await collect(
      runSweep<Folded>(file, [null as never], { from }, {}, pathToFileURL(strategy)),
    )
    const folded = result !== undefined && isRight(result) ? result.right.values[0] : undefined
    expect(folded?.curve[0]).toEqual({ at: from, equityUsd: 10_000 })
    expect(folded?.summary).toMatchObject({ fills: 2, profitUsd: 1 })
    const flags = ['--from', new Date(from).toISOString(), '--json']
    const { stdout } = await runInProcess(['backtest', file, forProcess(strategy), ...flags])
    expect(stdout.split('\n')[0]).toContain(`{"_tag":"Equity","at":${from},`)
  })

  it('has the events of a run whose early orders are left out, for random orders', () => {
    const eventsOf = (inputs: readonly Input[], given: object): readonly PaperEvent[] => {
      const { client, order$, give } = givenMarket()
      const events: PaperEvent[] = []
      const run = paper(client, () => order$, {
        ...(given as typeof account),
        tokens: randomTokens,
      }).subscribe((event) => events.push(event))
      inputs.forEach(give)
      run.unsubscribe()
      return events
    }
    fc.assert(
      fc.property(steps, options, fc.constantFrom(1, 60, 1_000), (all, given, warmUp) => {
        const inputs = timed(all)
        const receivedAt = (input: Input): number | undefined => {
          const event: MarketEvent | undefined = input._tag === 'Order' ? undefined : input.event
          return event !== undefined && isRight(event) ? event.right.receivedAt : undefined
        }
        const end = (inputs.map(receivedAt).find((at) => at !== undefined) ?? Infinity) + warmUp
        let latest = 0
        const late = inputs.filter((input) => {
          latest = Math.max(latest, receivedAt(input) ?? 0)
          return input._tag !== 'Order' || (latest > 0 && Math.max(latest, input.decidedAt) >= end)
        })
        const whole = eventsOf(late, { ...given, sampleMs: 1 })
        const warmed = eventsOf(inputs, { ...given, sampleMs: 1, warmUp })
        expect(withoutEquity(warmed)).toEqual(withoutEquity(whole))
        const lateEquities = (events: readonly PaperEvent[]) =>
          [...lastEquities(events)].filter(([at]) => at >= end)
        expect(lateEquities(warmed)).toEqual(lateEquities(whole))
      }),
      { numRuns: caseCount(1_000) },
    )
  })
})
