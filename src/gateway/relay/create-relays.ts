import type { Client, PriceClient } from '../../client/client.js'
import { priceFeedOf } from '../../client/price-feed.js'
import type { Publish } from '../../diagnostics/messages.js'
import type { Clock } from '../../time/clock.js'
import { createDepthRelay } from './depth-relay.js'
import { createPriceRelay } from './price-relay.js'
import type { Relay } from './relay.js'
import { RequestQueue } from './request-queue.js'

export interface RelaysConfig {
  readonly clock: Clock
  readonly publish: Publish
  /** The name of the gateway in diagnostics. */
  readonly ownHost: () => string
  /** Name of the service: prefix of topics. */
  readonly service: string
  /** Minimum time between the starts of two depth requests for one mint, in ms. */
  readonly depthEvery: number
}

/** Number of consumers' requests that wait for a response. Consumers of NATS may be 10 000, and share a request. */
const maxWaiting = 10_000

/** The relays of a gateway, whose requests are published in diagnostics. */
export interface Relays {
  readonly depth: Relay
  readonly price: Relay
}

export const createRelays = (
  client: PriceClient | Client,
  { clock, publish, ownHost, service, depthEvery }: RelaysConfig,
): Relays => {
  const onRequest = (kind: 'depth' | 'price') => (shared: boolean) =>
    publish('svc-streams:gateway-request', () => ({ host: ownHost(), kind, shared }))
  // One for both: they share the queue of the client.
  const queue = new RequestQueue({ maxWaiting, whenSendable: priceFeedOf(client).whenSendable })
  return {
    depth: createDepthRelay(client, { clock, queue, depthEvery, onRequest: onRequest('depth') }),
    price: createPriceRelay(client, { clock, queue, service, onRequest: onRequest('price') }),
  }
}
