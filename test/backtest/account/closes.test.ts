import { concat, filter, map, NEVER, of, Subject, type Observable } from 'rxjs'
import { right } from 'fp-ts/lib/Either.js'
import { rights } from 'svc-streams/operators'
import { closePosition, market, paper, roundTripsOf, type Order, type PaperEvent } from 'svc-streams/paper'
import { createTestClient, depth, price } from 'svc-streams/testing'
import { expect, it } from 'vitest'
import { tokens } from './support/scenario.js'

// One strategy over the closes of bars: by the account, and by a loop over an array, as engines of bars have it. An order that is
// decided at a close fills at the next one.

const [start, minute, window] = [1_700_000_000_000, 60_000, 5]
const costs = { feeBps: 10, slippageBps: 5 }

/** A random walk, the same on each run. */
const closes = Array.from({ length: 2_000 }).reduce<{ seed: number; prices: number[] }>(
  ({ seed, prices }) => {
    const next = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return { seed: next, prices: [...prices, (prices.at(-1) ?? 100) * (1 + (next / 2 ** 31 - 0.5) / 50)] }
  },
  { seed: 7, prices: [] },
).prices

/** Long while the close is above the mean of the last five, one token. Undefined before there are five. */
const isLongAfter = (index: number): boolean | undefined => {
  const last = closes.slice(index - window + 1, index + 1)
  return index < window - 1 ? undefined : closes[index]! > last.reduce((sum, each) => sum + each, 0) / window
}

interface Trade {
  readonly at: number
  readonly side: 'buy' | 'sell'
  readonly price: number
}

/** The loop. */
const byLoop = () => {
  let [cash, held] = [10_000, 0]
  const trades: Trade[] = []
  const equities = closes.map((close, index) => {
    const isLong = index === 0 ? undefined : isLongAfter(index - 1)
    if (isLong !== undefined && isLong !== (held === 1)) {
      const side = isLong ? 'buy' : 'sell'
      const paid = close * (1 + ((isLong ? 1 : -1) * costs.slippageBps) / 10_000)
      cash -= (isLong ? paid : -paid) + (paid * costs.feeBps) / 10_000
      held = isLong ? 1 : 0
      trades.push({ at: start + index * minute, side, price: paid })
    }
    return cash + held * close
  })
  return { trades, equities }
}

const byAccount = () => {
  const price$ = new Subject<ReturnType<typeof priceAt>>()
  const priceAt = (index: number) =>
    right(price(tokens.X.topic, closes[index]!, { receivedAt: start + index * minute }))
  const side = { totalQuantity: 1_000_000n, totalQuantityUsd: 1 }
  const book = depth(tokens.X.address, { buy: side, sell: side, timestamp: start, receivedAt: start })
  const client = createTestClient({
    prices: { [tokens.X.topic]: price$ },
    depths: { [tokens.X.address]: concat(of(right(book)), NEVER) },
  })
  const order$ = ({ price$ }: typeof client): Observable<Order> =>
    price$(tokens.X.topic).pipe(
      rights(),
      map((_, index) => ({ isLong: isLongAfter(index), wasLong: isLongAfter(index - 1) === true })),
      filter(({ isLong, wasLong }) => isLong !== undefined && isLong !== wasLong),
      map(({ isLong }) =>
        isLong === true ? market('X', 'buy', { units: 100n }, { rest: 'work' }) : closePosition('X'),
      ),
    )
  const events: PaperEvent[] = []
  const options = {
    tokens: { X: tokens.X },
    cash: 10_000,
    ...costs,
    latency: 1,
    sampleMs: 1,
    maxDepthAge: 1e12,
  }
  const run = paper(client, order$, options).subscribe((event) => events.push(event))
  for (const index of closes.keys()) price$.next(priceAt(index))
  run.unsubscribe()
  return events
}

it('has the trades of a loop over the closes, and its equity to the cent at each close', () => {
  const events = byAccount()
  const { trades, equities } = byLoop()
  const fills = events.filter((event) => event._tag === 'Filled')
  expect(fills.length).toBeGreaterThan(300)
  expect(
    fills.map(({ at, side, price: paid }) => ({ at, side, price: expect.closeTo(paid, 9) as number })),
  ).toEqual(trades)
  expect(fills.every(({ quantity }) => quantity === 100n)).toBe(true)
  const lastAt = new Map(
    events.flatMap((event) => (event._tag === 'Equity' ? [[event.at, event.equityUsd]] : [])),
  )
  expect(closes.map((_, index) => lastAt.get(start + index * minute)?.toFixed(2))).toEqual(
    equities.map((equity) => equity.toFixed(2)),
  )
  const pairs = trades.flatMap((trade, index) =>
    trade.side === 'sell' ? [[trades[index - 1]!, trade] as const] : [],
  )
  expect(roundTripsOf(events).map(({ from, to, netUsd }) => [from, to, netUsd.toFixed(2)])).toEqual(
    pairs.map(([entry, exit]) => {
      const fees = ((entry.price + exit.price) * costs.feeBps) / 10_000
      return [entry.at, exit.at, (exit.price - entry.price - fees).toFixed(2)]
    }),
  )
})
