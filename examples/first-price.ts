import { createClient, isRight, renderError } from 'svc-streams'
import { startSimulator } from 'svc-streams/simulator'

const service = await startSimulator() // or the addresses and the key of a real deployment
const client = createClient({ environment: 'mainnet', ...service })

client
  .price$('svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1')
  .subscribe((event) => console.log(isRight(event) ? event.right.price : renderError(event.left)))
client
  .depth$('0x82af49447d8a07e3bd95bd0d56f35241523fbab1', 1000)
  .subscribe((event) => console.log(isRight(event) ? event.right.buy : renderError(event.left)))
