import { deepStrictEqual } from 'node:assert'
import { readFileSync } from 'node:fs'
import { isRight } from 'fp-ts/lib/Either.js'
import { lastValueFrom, map, reduce, takeUntil, timer, type Observable } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import { createClient, type PriceClient, type Topic } from 'svc-streams'
import { rights } from 'svc-streams/operators'
import { replay } from 'svc-streams/recording'
import { recordedMarket, startSimulator } from 'svc-streams/simulator'
import { createTestClient, price } from 'svc-streams/testing'
import { momentum$ } from './strategies/momentum.js'

// One strategy, which is one function of a client: under marbles, over a recording of a real market, and live.

const eth: Topic = 'svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1'

/** What one would have, in USD, who holds one ETH after each buy and none after each sell. */
interface Account {
  readonly trades: number
  readonly cash: number
  readonly holds: number
}

const empty: Account = { trades: 0, cash: 0, holds: 0 }

const trade = (account: Account, signal: 'buy' | 'sell', usd: number): Account => {
  const holds = signal === 'buy' ? 1 : 0
  const cash = account.cash + (account.holds - holds) * usd
  return holds === account.holds ? account : { trades: account.trades + 1, cash, holds }
}

const traded$ = (client: PriceClient): Observable<Account> =>
  momentum$(client, eth).pipe(
    rights(),
    reduce(
      (account, { signal, price: at }) => (signal === 'hold' ? account : trade(account, signal, at.price)),
      empty,
    ),
  )

const tell = (where: string, { trades, cash, holds }: Account): void => {
  const result = holds === 0 ? `${cash.toFixed(2)} USD` : `${cash.toFixed(2)} USD and ${holds} ETH`
  console.log(`${where.padEnd(18)}${String(trades).padStart(3)} trades  ${result.padStart(24)}`)
}

// Under marbles: every price is one's own, and time takes no time.
new TestScheduler(deepStrictEqual).run(({ cold, expectObservable }) => {
  const prices = {
    a: price(eth, 30),
    b: price(eth, 20),
    c: price(eth, 10),
    d: price(eth, 40),
    e: price(eth, 5),
  }
  const client = createTestClient({ prices: { [eth]: cold('-a-b-c-d-e-|', prices) } })
  const signal$ = momentum$(client, eth, { fastPeriod: 1, slowPeriod: 2 }).pipe(
    map((event) => (isRight(event) ? event.right.signal : 'none')),
  )
  const expected = { h: 'hold', b: 'buy', s: 'sell' }
  expectObservable(signal$).toBe('                                  -h-h-h-b-s-|', expected)
})
console.log('under marbles     as expected')

// Over a recording: five minutes in a moment, the same each time.
function* recording(): Generator<string> {
  const rows = readFileSync(new URL('data/top-of-book.csv', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  const header = { _tag: 'Recording', version: 1, at: 0, topics: [eth], mints: [], interval: 1000 }
  yield `${JSON.stringify(header)}\n`
  for (const row of rows.filter((text) => text.includes(',ETH,'))) {
    const [time, , bid, , ask] = row.split(',').map(Number)
    const right = price(eth, ((bid ?? 0) + (ask ?? 0)) / 2, { receivedAt: time ?? 0 })
    yield `${JSON.stringify({ _tag: 'Price', at: time, topic: eth, event: { _tag: 'Right', right } })}\n`
  }
}
tell('over a recording', await lastValueFrom(replay(recording(), { speed: Infinity }).run$(traded$)))

// Live: for four seconds, in which the simulator plays some minutes.
await using simulator = await startSimulator({ market: recordedMarket({ speed: 70 }) })
await using client = createClient({ environment: 'mainnet', ...simulator })
const forFourSeconds: PriceClient = {
  ...client,
  price$: (topic) => client.price$(topic).pipe(takeUntil(timer(4000))),
}
tell('live', await lastValueFrom(traded$(forFourSeconds)))
