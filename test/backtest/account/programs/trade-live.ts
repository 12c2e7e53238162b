import { isLeft } from 'fp-ts/lib/Either.js'
import { concat, map, NEVER, of } from 'rxjs'
import { createClient, defineTokens } from 'svc-streams'
import { limit, paper } from 'svc-streams/paper'

// An account of a live client with one waiting order: it buys at 2400 USD. Prints its events, and the prices of the client.

const [, , options = ''] = process.argv
const client = createClient({
  ...(JSON.parse(options) as { baseUrl: string; priceBaseUrl: string; priceWsUrl: string; authKey: string }),
  environment: 'mainnet',
  maxLag: 1000,
})
const address = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
const tokens = defineTokens({ WETH: { address, decimals: 18 } })

const print = (value: object): void =>
  console.log(JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each)))

client
  .price$(tokens.WETH.topic)
  .pipe(
    map((event) => (isLeft(event) ? { _tag: event.left._tag } : { _tag: 'Price', price: event.right.price })),
  )
  .subscribe(print)
paper(client, () => concat(of(limit('WETH', 'buy', { units: 10n ** 15n }, 2400)), NEVER), {
  tokens,
  cash: 10_000,
  feeBps: 0,
  slippageBps: 0,
  latency: 0,
  depthInterval: 200,
}).subscribe(print)
