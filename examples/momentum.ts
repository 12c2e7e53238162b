import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { isLeft, match, type Either } from 'fp-ts/lib/Either.js'
import { distinctUntilChanged, filter, map, takeUntil } from 'rxjs'
import { createClient, defineTokens, renderError, type PriceError } from 'svc-streams'
import { recordedMarket, startSimulator, type Simulator } from 'svc-streams/simulator'
import { momentum$, type Momentum } from './strategies/momentum.js'

// A momentum strategy on five minutes of a recorded market, replayed in six seconds. After three seconds the connection
// drops: the strategy is suspended, and starts again.

const { ETH } = defineTokens({ ETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 } })

// A real deployment if the environment variables are set, otherwise the simulator.
const { SVC_PRICE_BASE_URL: priceBaseUrl, SVC_PRICE_WS_URL: priceWsUrl } = process.env
const real = { priceBaseUrl, ...(priceWsUrl && { priceWsUrl }) }
const market = recordedMarket({ speed: 50 })
await using simulator = priceBaseUrl ? undefined : await startSimulator({ market })
await using client = createClient({ environment: 'mainnet', ...(simulator ?? real) })

const usd = (amount: number): string =>
  amount.toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** The state of the strategy: its signal, or the reason why there is none. */
const stateOf = (event: Either<PriceError, Momentum>): string => {
  if (isLeft(event)) return 'suspended'
  const { lead, signal } = event.right
  return lead === null ? 'warming up' : signal
}

const detail = ({ price, lead }: Momentum): string => {
  const current = `ETH ${usd(price.price)} USD`
  if (lead === null) return current
  return `${current}, fast average ${usd(Math.abs(lead))} USD ${lead < 0 ? 'below' : 'above'} the slow one`
}

const dropConnection = async (simulator: Simulator): Promise<void> => {
  await wait(3_000)
  simulator.dropConnections()
  await wait(3_000)
}
const end = simulator ? dropConnection(simulator) : once(process, 'SIGINT')

const lines$ = momentum$(client, ETH.topic).pipe(
  filter((event) => stateOf(event) !== 'hold'),
  distinctUntilChanged((before, after) => stateOf(before) === stateOf(after)),
  map((event) => `${stateOf(event).padEnd(10)}  ${match(renderError, detail)(event)}`),
  takeUntil(end),
)
await lines$.forEach((line) => console.log(line))
