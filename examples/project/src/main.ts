import { fromEvent, map, merge, takeUntil, type Observable } from 'rxjs'
import { createClient, isRight, renderError, type Client } from 'svc-streams'
import { startSimulator } from 'svc-streams/simulator'
import { advice$, topic } from './strategy.js'

// Prints the prices and the advice of the strategy until Ctrl-C. Runs on a local simulator, or on the service that the
// environment variables name.

const { SVC_BASE_URL: baseUrl, SVC_PRICE_BASE_URL: priceBaseUrl, SVC_AUTH_KEY: authKey } = process.env

const lines$ = (client: Client): Observable<string> =>
  merge(
    client
      .price$(topic)
      .pipe(map((event) => (isRight(event) ? `${event.right.price} USD` : renderError(event.left)))),
    advice$(client).pipe(map((advice) => `advice: ${advice}`)),
  )

const service =
  baseUrl !== undefined && priceBaseUrl !== undefined && authKey !== undefined
    ? { baseUrl, priceBaseUrl, authKey }
    : await startSimulator()
const client = createClient({ environment: 'mainnet', ...service })
await lines$(client)
  .pipe(takeUntil(fromEvent(process, 'SIGINT')))
  .forEach((line) => console.log(line))
await client.close()
if ('close' in service) await service.close()
