import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filter, lastValueFrom, map, merge, mergeMap, toArray, withLatestFrom, type Observable } from 'rxjs'
import { rights } from 'svc-streams/operators'
import {
  cancel,
  limit,
  paper,
  summaryOf,
  target,
  type MarketClient,
  type Order,
  type PaperAccount,
  type PaperStrategy,
} from 'svc-streams/paper'
import { replay } from 'svc-streams/recording'
import { expect, it } from 'vitest'
import { runInProcess } from '../../cli/support/in-process.js'
import { newFolder } from '../../support/new-folder.js'
import { caseCount } from '../../support/run/long.js'
import { tokens } from './support/desk.js'

// No strategy earns anything on a random walk: a profit is a defect of the data or of the fills.

/** A generator of numbers from 0 to 1 (mulberry32). */
const randomOf = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
  }
}

const ticksOfCandle = 30

/** One-minute candles of a walk whose steps are up or down by 0.1 % of the first price. */
const candlesOf = (seed: number, count: number): string => {
  const random = randomOf(seed)
  let price = 1_000
  const lines = Array.from({ length: count }, (_, minute) => {
    const prices = Array.from({ length: ticksOfCandle }, () => (price += random() < 0.5 ? 1 : -1))
    const [open, close] = [prices[0], prices.at(-1)]
    return [Date.UTC(2025, 0, 1, 0, minute), open, Math.max(...prices), Math.min(...prices), close].join(',')
  })
  return ['time,open,high,low,close', ...lines, ''].join('\n')
}

/** Rests a bid and an offer around each price, and takes a profit of 0.5 %. */
const scalper = ({ price$ }: MarketClient, { position, fill$ }: PaperAccount): Observable<Order> =>
  merge(
    price$(tokens.ETH.topic).pipe(
      rights(),
      mergeMap(({ price }, index): readonly Order[] => {
        const quotes = [
          limit('ETH', 'buy', { usd: 1_000 }, price - 4, { id: `bid ${index}` }),
          limit('ETH', 'sell', { usd: 1_000 }, price + 4, { id: `offer ${index}` }),
        ]
        return index === 0 ? quotes : [cancel(`bid ${index - 1}`), cancel(`offer ${index - 1}`), ...quotes]
      }),
    ),
    fill$.pipe(
      mergeMap(({ side, price, quantity, order }) =>
        order._tag === 'Limit' && order.id?.startsWith('profit') !== true && position('ETH').quantity !== 0n
          ? [
              limit(
                'ETH',
                side === 'buy' ? 'sell' : 'buy',
                { units: quantity },
                price + (side === 'buy' ? 5 : -5),
                { id: `profit ${price} ${quantity}` },
              ),
            ]
          : [],
      ),
    ),
  )

/** Buys if a depth is above the last price, and sells if it is below: the open of a candle has the time of the close before it. */
const follower = ({ price$, depth$ }: MarketClient): Observable<Order> =>
  depth$(tokens.ETH.address, 500).pipe(
    rights(),
    withLatestFrom(price$(tokens.ETH.topic).pipe(rights())),
    filter(([depth, { price }]) => depth.price !== price),
    map(([depth, { price }]) => target('ETH', { usd: depth.price > price ? 1_000 : -1_000 })),
  )

/** The profits over walks, each of its own seed. */
const profitsOf = async (
  count: number,
  latency: number,
  strategy: PaperStrategy<MarketClient>,
): Promise<readonly number[]> => {
  const folder = newFolder()
  const profits: number[] = []
  writeFileSync(join(folder, 'tokens.json'), JSON.stringify({ ETH: tokens.ETH }))
  for (let seed = 1; seed <= count; seed++) {
    const [csv, out] = [join(folder, `${seed}.csv`), join(folder, `${seed}.ndjson`)]
    writeFileSync(csv, candlesOf(seed, 300))
    const flags = ['--tokens', join(folder, 'tokens.json'), '--token', 'ETH', '--depth', '1000000']
    expect(await runInProcess(['import', csv, '--out', out, ...flags])).toMatchObject({ code: 0 })
    const options = {
      ...{ tokens, cash: 100_000, feeBps: 0, slippageBps: 0, latency, allowShort: true },
      maxDepthAge: 1e9,
    }
    const run$ = replay(out, { speed: Infinity }).run$((client) => paper(client, strategy, options))
    const { profitUsd, fills } = summaryOf(
      await lastValueFrom(
        run$.pipe(
          toArray(),
          map((events) => events),
        ),
      ),
    )
    expect(fills).toBeGreaterThan(20)
    profits.push(profitUsd ?? NaN)
  }
  return profits
}

it.each([
  ['scalper', 1, scalper],
  ['scalper', 50, scalper],
  ['follower of the depth', 0, follower],
  ['follower of the depth', 1, follower],
] as const)(
  'a %s earns nothing on the candles of random walks, with a latency of %i ms',
  { timeout: 300_000 },
  async (_, latency, strategy) => {
    const profits = await profitsOf(caseCount(400), latency, strategy)
    const mean = profits.reduce((sum, each) => sum + each, 0) / profits.length
    const deviation = Math.sqrt(
      profits.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (profits.length - 1),
    )
    // Four standard errors.
    expect(mean).toBeLessThan((4 * deviation) / Math.sqrt(profits.length))
  },
)
