import { nuid } from '@nats-io/transport-node'
import type { Client, PriceClient } from '../client/client.js'
import { createClientOn } from '../client/create-client.js'
import { node } from '../wire/platform/node.js'
import { currentClock } from '../base/time/rx-clock.js'
import type { OpenTcpSocket } from './connection/tcp-transport.js'
import { NatsLink } from './connection/nats-link.js'
import { connectionOptionsOf } from './options.js'
import { FollowedGateway, type ConsumerContext } from './client/consumer-context.js'
import { natsHttpTransport } from './client/nats-http-transport.js'
import { natsWebSocketTransport } from './client/nats-web-socket-transport.js'
import {
  clientOptionsOf,
  parseNatsClientOptions,
  type NatsClientOptions,
  type NatsDepthClientOptions,
} from './client/options.js'
import { subjectsOf } from './subjects.js'

/** Maximum time until a gateway or a NATS server is found after its return, in ms. */
const maxReconnectDelay = 1_000

/** Placeholder addresses: the transports over NATS do not use addresses. */
const addresses = {
  baseUrl: 'http://nats.invalid',
  priceBaseUrl: 'http://nats.invalid',
  priceWsUrl: 'ws://nats.invalid',
  unsigned: true,
} as const

/**
 * Creates a client whose prices and depth come from a gateway over NATS (`startNatsGateway`). The client has the
 * guarantees of `createClient`. It uses one gateway at a time, and changes to another gateway when that one does not
 * answer. Opens no connection until a stream is subscribed to or a task is run. Throws a `ConfigurationError` that
 * names the first invalid option.
 *
 * @example
 * const client = natsClient({ environment: 'mainnet', servers: 'nats://127.0.0.1:4222' })
 */
export function natsClient(options: NatsDepthClientOptions): Client
export function natsClient(options: NatsClientOptions): PriceClient
export function natsClient(options: NatsClientOptions): Client {
  // Depth exists only on mainnet: `createClient` checks this.
  return createClientOn(node)(
    upstreamOverNats(options) as Parameters<ReturnType<typeof createClientOn>>[0],
  ) as Client
}

/**
 * The options of a client over NATS. `openSocket`: Node's by default.
 *
 * @internal
 */
export const upstreamOverNats = (options: NatsClientOptions, openSocket?: OpenTcpSocket) => {
  const { maxLag, service, requestTimeout } = parseNatsClientOptions(options)
  const clock = currentClock()
  const link = new NatsLink(connectionOptionsOf(options), clock, openSocket)
  const context: ConsumerContext = {
    link,
    clock,
    subjects: subjectsOf(service),
    inboxPrefix: link.inboxPrefix,
    id: nuid.next(),
    requestTimeout,
    maxLag,
    followed: new FollowedGateway(),
  }
  return {
    ...clientOptionsOf(options),
    reconnect: { maxDelay: maxReconnectDelay, ...options.reconnect },
    ...addresses,
    maxLag,
    webSocket: natsWebSocketTransport(context),
    http: natsHttpTransport(context),
  }
}
