import { merge, take } from 'rxjs'
import { createClient, renderError } from 'svc-streams'
import { lefts } from 'svc-streams/operators'
import { startSimulator, startTcpProxy } from 'svc-streams/simulator'

const service = await startSimulator({ tick: 5 }) // up to 400 prices a second
const link = await startTcpProxy({ target: service.priceWsUrl, bytesPerSecond: 10_000 })
const { priceBaseUrl } = service
const client = createClient({ environment: 'testnet', priceBaseUrl, priceWsUrl: link.url, maxLag: 1_000 })
const eth$ = client.price$('svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1')
const btc$ = client.price$('svc-0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f')

// Prints two lines such as: Stale: svc-0x82af…: the prices may be 1.0 s behind; …
await merge(eth$, btc$)
  .pipe(lefts(), take(2))
  .forEach((error) => console.log(renderError(error)))
await client.close()
await link.close()
await service.close()
