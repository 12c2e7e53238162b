// prices.ts
import { take } from 'rxjs'
import { createClient, isRight, renderError } from 'svc-streams'
import { startSimulator } from 'svc-streams/simulator'

const service = await startSimulator() // a local simulator of the service
const client = createClient({ environment: 'mainnet', ...service })
const price$ = client.price$('svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1') // WETH, by its address
await price$.pipe(take(3)).forEach((event) => {
  console.log(isRight(event) ? event.right.price : renderError(event.left))
})
await client.close()
await service.close()
