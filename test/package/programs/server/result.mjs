import { firstValueFrom } from 'rxjs'
import { createClient } from 'svc-streams'
import { startGateway } from 'svc-streams/gateway'
import { lefts, rights } from 'svc-streams/operators'
import { startSimulator } from 'svc-streams/simulator'

/** What a client receives of a simulator, and a second client through a gateway. */
export const receive = async () => {
  const simulator = await startSimulator({ tokens: ['0xAb'], seed: 7, tick: 20 })
  const client = createClient({ environment: 'mainnet', ...simulator })
  const gateway = await startGateway(client)
  const consumer = createClient({ environment: 'mainnet', ...gateway })
  const first = (events$) => firstValueFrom(events$.pipe(rights()))
  const [price, fromGateway, depth, error] = await Promise.all([
    first(client.price$('svc-0xAb')),
    first(consumer.price$('svc-0xAb')),
    first(consumer.depth$('0xAb', 1000)),
    firstValueFrom(client.price$('svc-0xcd').pipe(lefts())),
  ])
  const overHttp = await consumer.price('svc-0xAb')()
  for (const each of [consumer, gateway, client, simulator]) await each.close()
  return {
    topics: [price.topic, fromGateway.topic],
    mint: depth.mint,
    error: error._tag,
    overHttp: overHttp._tag,
  }
}
