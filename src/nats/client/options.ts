import type { ClientOptions } from '../../client/options.js'
import type { NatsOptions } from '../options.js'

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

export const upstreamNames = [
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
