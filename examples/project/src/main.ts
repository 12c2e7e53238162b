import { fromEvent, map, merge, takeUntil, type Observable } from 'rxjs'
import { createClient, isRight, renderError, type Client } from 'svc-streams'
import { startSimulator } from 'svc-streams/simulator'
import { advice$, topic } from './strategy.js'

// Prints the prices and the advice of the strategy until Ctrl-C. Runs on the service that these variables
// name, and if none of them is set, on a local simulator.

const {
  SVC_PRICE_BASE_URL: priceBaseUrl,
  SVC_PRICE_WS_URL: priceWsUrl,
  SVC_BASE_URL: baseUrl,
  SVC_AUTH_KEY: authKey,
} = process.env
const isConfigured = [priceBaseUrl, priceWsUrl, baseUrl, authKey].some((value) => value !== undefined)

const lines$ = (client: Client): Observable<string> =>
  merge(
    client
      .price$(topic)
      .pipe(map((event) => (isRight(event) ? `${event.right.price} USD` : renderError(event.left)))),
    advice$(client).pipe(map((advice) => `advice: ${advice}`)),
  )

const simulator = isConfigured ? undefined : await startSimulator()
const service = simulator ?? { priceBaseUrl, baseUrl, authKey, ...(priceWsUrl && { priceWsUrl }) }
const client = createClient({ environment: 'mainnet', ...service })
console.log(isConfigured ? `prices of ${priceBaseUrl}` : 'simulated prices')
await lines$(client)
  .pipe(takeUntil(fromEvent(process, 'SIGINT')))
  .forEach((line) => console.log(line))
await client.close()
await simulator?.close()
