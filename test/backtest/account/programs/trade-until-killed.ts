import { map, mergeMap, timer } from 'rxjs'
import { rights } from 'svc-streams/operators'
import { limit, market, paper } from 'svc-streams/paper'
import { createTestClient, depth, price } from 'svc-streams/testing'
import { tokens } from '../support/desk.js'

// Trades on paper until it is killed, with the journal of its argument. Prints the id of each fill.

const { topic, address } = tokens.ETH
const side = { totalQuantity: 10n ** 21n, totalQuantityUsd: 1 }
const client = createTestClient({
  prices: { [topic]: timer(0, 1).pipe(map((index) => price(topic, 100 + (index % 7)))) },
  depths: {
    [address]: timer(0, 1).pipe(map((timestamp) => depth(address, { buy: side, sell: side, timestamp }))),
  },
  stamp: true,
})

paper(
  client,
  ({ price$ }) =>
    price$(topic).pipe(
      rights(),
      mergeMap(({ price: usd }) =>
        usd === 102
          ? [limit('ETH', 'sell', { units: 10n ** 15n }, 105)]
          : [market('ETH', usd < 104 ? 'buy' : 'sell', { units: 3n * 10n ** 15n })],
      ),
    ),
  {
    tokens: { ETH: tokens.ETH },
    cash: 1_000,
    feeBps: 1.5,
    slippageBps: 0,
    latency: 0,
    journal: process.argv[2] ?? '',
  },
).subscribe((event) => {
  if (event._tag === 'Filled') process.stdout.write(`${event.id}\n`)
  if (event._tag === 'WriteError') process.stderr.write(`${event.message}\n`)
})
