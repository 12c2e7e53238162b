import { repeat, switchMap, take, type Observable } from 'rxjs'
import type { Client, PriceClient } from '../../client/client.js'
import type { Address } from '../../domain/address.js'
import { addressOf } from '../../domain/topic.js'

interface Clients {
  readonly client: PriceClient
  readonly depthClient: Client | undefined
}

/** Clients that subscribe to the price of one token again, and request its depth, after `accepted$` emits. */
export const resubscribe = (
  { client, depthClient }: Clients,
  token: Address,
  accepted$: Observable<unknown>,
): Clients => ({
  client: {
    ...client,
    price$: (topic) => {
      const price$ = client.price$(topic)
      return addressOf(topic) === token ? price$.pipe(repeat({ delay: () => accepted$ })) : price$
    },
  },
  depthClient: depthClient && {
    ...depthClient,
    depth$: (mint, interval) => {
      const depth$ = depthClient.depth$(mint, interval)
      return mint === token
        ? accepted$.pipe(
            take(1),
            switchMap(() => depth$),
          )
        : depth$
    },
  },
})
