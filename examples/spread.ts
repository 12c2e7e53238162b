import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { map, repeat, takeUntil } from 'rxjs'
import { createClient, defineTokens, match, type NotFresh, type Price } from 'svc-streams'
import { combineFresh, conflate, type Conflated } from 'svc-streams/operators'
import { startSimulator, type Simulator } from 'svc-streams/simulator'

// The spread between two tokens, while both prices are current. The service rejects BTC at first, and later sends no
// prices of ETH. In both cases there is no spread, and the output names the leg.

const { ETH, BTC } = defineTokens({
  ETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 },
  BTC: { address: '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f', decimals: 8 },
})
const ethPerBtc = 23

// A real deployment if the environment variables are set, otherwise the simulator.
const { SVC_PRICE_BASE_URL: priceBaseUrl, SVC_PRICE_WS_URL: priceWsUrl } = process.env
const real = { priceBaseUrl, ...(priceWsUrl && { priceWsUrl }) }
await using simulator = priceBaseUrl ? undefined : await startSimulator({ tick: 200 })
await using client = createClient({
  environment: 'mainnet',
  ...(simulator ?? real),
  staleAfter: simulator ? 1_000 : 30_000,
})

interface Legs {
  readonly eth: Price
  readonly btc: Price
}

const legs = {
  eth: client.price$(ETH.topic).pipe(repeat({ delay: 1_000 })), // a rejected topic completes: subscribes again
  btc: client.price$(BTC.topic).pipe(repeat({ delay: 1_000 })),
}
// The service repeats an unchanged price every 10 s: a lower limit would give no spread on a quiet market.
const both$ = combineFresh<Legs>(legs, { maxSkew: 15_000 })

const usd = (amount: number): string =>
  amount.toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 }).padStart(9)

const truncate = (text: string): string => (text.length > 90 ? `${text.slice(0, 89)}…` : text)

const describeNotFresh = ({ message }: NotFresh): string => `no spread      ${truncate(message)}`
const describeSpread = ({ value: { eth, btc } }: Conflated<Legs>): string =>
  `${usd(btc.price - ethPerBtc * eth.price)} USD  BTC ${usd(btc.price)} - ${ethPerBtc} x ETH ${usd(eth.price)}`

const injectFaults = async ({ list, delist }: Simulator): Promise<void> => {
  delist(BTC.address)
  await wait(1_500)
  list(BTC.address)
  await wait(2_000)
  delist(ETH.address)
  await wait(2_000)
  list(ETH.address)
  await wait(1_500)
}
const end = simulator ? injectFaults(simulator) : once(process, 'SIGINT')

const lines$ = both$.pipe(
  conflate(500), // one line per half second; a Left is emitted immediately
  map(match(describeNotFresh, describeSpread)),
  takeUntil(end), // without it, `repeat` would continue after the client has closed
)
await lines$.forEach((line) => console.log(line))
