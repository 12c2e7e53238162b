import { distinctUntilChanged, map, take } from 'rxjs'
import { createClient, defineTokens, type Depth, match, type Price, renderError } from 'svc-streams'
import { combineFresh } from 'svc-streams/operators'
import { startSimulator } from 'svc-streams/simulator'

// Price and depth of one token as one value, while both are current.

const { ETH } = defineTokens({ ETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 } })

// A real deployment if the environment variables are set, otherwise the simulator.
const { SVC_BASE_URL: baseUrl, SVC_PRICE_BASE_URL: priceBaseUrl, SVC_AUTH_KEY: authKey } = process.env
const { SVC_PRICE_WS_URL: priceWsUrl } = process.env
const real = { baseUrl, priceBaseUrl, authKey, ...(priceWsUrl && { priceWsUrl }) }
await using simulator = baseUrl ? undefined : await startSimulator()
await using client = createClient({ environment: 'mainnet', ...(simulator ?? real) })

// The price is current until its `Left`: a quiet market has no new price for ten seconds. The depth is polled.
const both$ = combineFresh(
  { price: client.price$(ETH.topic), depth: client.depth$(ETH.address, 500) },
  { maxAge: { depth: 2_000 } },
)

const usd = (amount: number, digits: number): string =>
  amount.toLocaleString('en-GB', { minimumFractionDigits: digits, maximumFractionDigits: digits })

const describe = ({ price, depth }: { price: Price; depth: Depth }): string => {
  const [buy, sell] = [depth.buy, depth.sell].map((side) => usd(side.totalQuantityUsd, 0).padStart(9))
  return `ETH ${usd(price.price, 2)} USD   can be bought ${buy} USD   can be sold ${sell} USD`
}

// A `Left` names the leg that is not current: at first, the leg without a value.
const lines$ = both$.pipe(map(match(renderError, describe)), distinctUntilChanged(), take(10))
await lines$.forEach((line) => console.log(line))
