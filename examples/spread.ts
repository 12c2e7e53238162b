import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { match } from 'fp-ts/lib/Either.js'
import { map, repeat, takeUntil } from 'rxjs'
import { createClient, type NotFresh, type Price } from 'svc-streams'
import { combineFresh, conflate, type Conflated } from 'svc-streams/operators'
import { startSimulator, type Simulator } from 'svc-streams/simulator'

// The spread between two tokens, and only while both prices can be relied on. The service refuses BTC at first, and
// falls silent about ETH later: each time the leg at fault is named, and there is no spread.

const eth = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
const btc = '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f'
const ethPerBtc = 23

// A real deployment where the environment names one, or else the simulator.
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
  eth: client.price$(`svc-${eth}`).pipe(repeat({ delay: 1_000 })), // a refused topic completes: this asks again
  btc: client.price$(`svc-${btc}`).pipe(repeat({ delay: 1_000 })),
}
const both$ = combineFresh<Legs>(legs, { maxSkew: 5_000 })

const usd = (amount: number): string =>
  amount.toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 }).padStart(9)

const shortened = (text: string): string => (text.length > 90 ? `${text.slice(0, 89)}…` : text)

const describeFault = ({ message }: NotFresh): string => `no spread      ${shortened(message)}`
const describeSpread = ({ value: { eth, btc } }: Conflated<Legs>): string =>
  `${usd(btc.price - ethPerBtc * eth.price)} USD  BTC ${usd(btc.price)} - ${ethPerBtc} x ETH ${usd(eth.price)}`

const misbehave = async ({ list, delist }: Simulator): Promise<void> => {
  delist(btc)
  await wait(1_500)
  list(btc)
  await wait(2_000)
  delist(eth)
  await wait(2_000)
  list(eth)
  await wait(1_500)
}
const end = simulator ? misbehave(simulator) : once(process, 'SIGINT')

const lines$ = both$.pipe(
  conflate(500), // a line every half second is enough; a fault is told at once
  map(match(describeFault, describeSpread)),
  takeUntil(end), // without it, what repeats would go on after the client has closed
)
await lines$.forEach((line) => console.log(line))
