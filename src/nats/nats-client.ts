import { nuid } from '@nats-io/transport-node'
import { BehaviorSubject } from 'rxjs'
import type { Client, PriceClient } from '../client/client.js'
import { configure, type Configuration } from '../client/configuration.js'
import type { ClientOptions } from '../client/options.js'
import { clientOf } from '../client/create-client.js'
import { ConfigurationError } from '../base/errors/configuration-error.js'
import { node } from '../wire/platform/node.js'
import { currentClock } from '../base/time/clock.js'
import type { OpenTcpSocket } from './connection/tcp-transport.js'
import { NatsLink } from './connection/nats-link.js'
import { connectionNames, parseConnection, type NatsOptions } from './options.js'
import type { ConsumerContext } from './client/find-gateway.js'
import { natsHttpTransport } from './client/nats-http-transport.js'
import { natsWebSocketTransport } from './client/nats-web-socket-transport.js'
import { subjectsOf } from './subjects.js'

/** Maximum time until a gateway or a NATS server is found after its return, in ms. */
const maxReconnectDelay = 1_000

/** Lag above which a session ends by default, in ms. */
const defaultMaxLag = 1_000

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
  const configuration = configureNats(options)
  return clientOf({ ...configuration, ...natsTransports(options, configuration) }, node)
}

/**
 * Throws a `ConfigurationError` that names the first invalid option. The values of the connection are not checked.
 *
 * @internal
 */
export const configureNats = (options: NatsClientOptions): Configuration => {
  for (const name of upstreamNames) {
    if (Object.hasOwn(options, name))
      throw new ConfigurationError(name, 'is an option of the client of the gateway; omit it')
  }
  const all = { maxLag: defaultMaxLag, ...options, ...addresses }
  const configuration = configure(all, node, { otherNames: Object.keys(connectionNames) })
  const { maxDelay = maxReconnectDelay } = options.reconnect ?? {}
  return { ...configuration, reconnect: { ...configuration.reconnect, maxDelay } }
}

/**
 * The transports of a client over NATS. `openSocket`: Node's by default.
 *
 * @internal
 */
export const natsTransports = (
  options: NatsClientOptions,
  { maxLag, service, requestTimeout }: Configuration,
  openSocket?: OpenTcpSocket,
) => {
  const clock = currentClock()
  const context: ConsumerContext = {
    link: new NatsLink(parseConnection(options), clock, openSocket),
    clock,
    subjects: subjectsOf(service),
    id: nuid.next(),
    requestTimeout,
    maxLag,
    followed$: new BehaviorSubject<string | undefined>(undefined),
  }
  return { webSocket: natsWebSocketTransport(context), http: natsHttpTransport(context) }
}

/**
 * Options of `natsClient`: those of `createClient` that have a meaning over NATS, `servers`, and the options of the
 * NATS connection, such as `user`, `authenticator`, `tls` and `inboxPrefix`. `reconnect`, `pingInterval` and `signal`
 * are those of `createClient`, but the upper bound of the waits between reconnects is 1000 ms by default.
 */
export interface NatsClientOptions extends Omit<ClientOptions, UpstreamOption>, NatsOptions {
  /**
   * Age of a price, from the service on, above which it is held, in ms. Also the lag behind the gateway, time in which
   * the gateway was stopped included, above which the client reconnects and topics emit `Disconnected`. Default: 1000.
   */
  readonly maxLag?: number
}

/** With these options, the client has depth methods. */
export interface NatsDepthClientOptions extends NatsClientOptions {
  readonly environment: 'mainnet'
}

/** The options of `createClient` that have no meaning over NATS: the client of the gateway has them. */
type UpstreamOption = (typeof upstreamNames)[number]

const upstreamNames = [
  ...([
    'priceBaseUrl',
    'priceWsUrl',
    'lines',
    'rotateAfter',
    'baseUrl',
    'authKey',
    'allowBrowserKey',
    'unsigned',
    'headers',
  ] as const),
  ...(['allowInsecure', 'ca', 'authExpiration', 'canonicalHeaders', 'webSocket', 'http'] as const),
] as const
