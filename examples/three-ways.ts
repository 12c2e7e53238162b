import { readFileSync } from 'node:fs'
import { lastValueFrom, map, reduce, takeUntil, timer, type Observable } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import { createClient, defineTokens, isRight, type PriceClient } from 'svc-streams'
import { rights, toStream$ } from 'svc-streams/operators'
import { replay } from 'svc-streams/recording'
import { recordedMarket, startSimulator } from 'svc-streams/simulator'
import { createTestClient, expectMarbles, price } from 'svc-streams/testing'
import { momentum$ } from './strategies/momentum.js'

// One strategy, a function of a client, in three ways: in a marble test, over a recorded market, and live.

const { topic } = defineTokens({
  ETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 },
}).ETH

/** An account that holds one ETH after a buy and none after a sell. `cash` in USD. */
interface Account {
  readonly trades: number
  readonly cash: number
  readonly eth: number
}

const empty: Account = { trades: 0, cash: 0, eth: 0 }

const trade = (account: Account, signal: 'buy' | 'sell', usd: number): Account => {
  const eth = signal === 'buy' ? 1 : 0
  const cash = account.cash + (account.eth - eth) * usd
  return eth === account.eth ? account : { trades: account.trades + 1, cash, eth }
}

const account$ = (client: PriceClient): Observable<Account> =>
  momentum$(client, topic).pipe(
    rights(),
    reduce(
      (account, { signal, price: at }) => (signal === 'hold' ? account : trade(account, signal, at.price)),
      empty,
    ),
  )

const print = (label: string, { trades, cash, eth }: Account): void => {
  const result = eth === 0 ? `${cash.toFixed(2)} USD` : `${cash.toFixed(2)} USD and ${eth} ETH`
  console.log(`${label.padEnd(18)}${String(trades).padStart(3)} trades  ${result.padStart(24)}`)
}

// In a marble test: the test chooses each price, and time is virtual.
new TestScheduler(expectMarbles).run(({ cold, expectObservable }) => {
  const prices = {
    a: price(topic, 30),
    b: price(topic, 20),
    c: price(topic, 10),
    d: price(topic, 40),
    e: price(topic, 5),
  }
  const client = createTestClient({ prices: { [topic]: cold('-a-b-c-d-e-|', prices) } })
  const signal$ = momentum$(client, topic, { fastPeriod: 1, slowPeriod: 2 }).pipe(
    map((event) => (isRight(event) ? event.right.signal : 'none')),
  )
  const expected = { h: 'hold', b: 'buy', s: 'sell' }
  expectObservable(signal$).toBe('                                  -h-h-h-b-s-|', expected)
})
console.log('under marbles     as expected')

// Over a recording: five minutes of prices in virtual time, with the same result in each run.
function* recording(): Generator<string> {
  const rows = readFileSync(new URL('data/top-of-book.csv', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  const header = { _tag: 'Recording', version: 1, at: 0, topics: [topic], mints: [], interval: 1000 }
  yield `${JSON.stringify(header)}\n`
  for (const row of rows.filter((text) => text.includes(',ETH,'))) {
    const [time, , bid, , ask] = row.split(',').map(Number)
    const right = price(topic, ((bid ?? 0) + (ask ?? 0)) / 2, { receivedAt: time ?? 0 })
    yield `${JSON.stringify({ _tag: 'Price', at: time, topic, event: { _tag: 'Right', right } })}\n`
  }
}
print('over a recording', await lastValueFrom(replay(recording(), { speed: Infinity }).run$(account$)))

// Live, for four seconds. The simulator replays the market at 70 times its speed.
await using simulator = await startSimulator({ market: recordedMarket({ speed: 70 }) })
await using client = createClient({ environment: 'mainnet', ...simulator })
const forFourSeconds: PriceClient = {
  ...client,
  price$: (each) => toStream$(client.price$(each).pipe(takeUntil(timer(4000)))),
}
print('live', await lastValueFrom(account$(forFourSeconds)))
