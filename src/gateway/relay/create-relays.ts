import type { Client, PriceClient } from '../../client/client.js'
import type { Publish } from '../../diagnostics/publish.js'
import type { Clock } from '../../time/clock.js'
import { createDepthRelay } from './depth-relay.js'
import { createPriceRelay } from './price-relay.js'
import type { Relay } from './relay.js'

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
  return {
    depth: createDepthRelay(client, { clock, depthEvery, onRequest: onRequest('depth') }),
    price: createPriceRelay(client, { clock, service, onRequest: onRequest('price') }),
  }
}
