import type { ClientOptions } from '../../client/options.js'
import type { NatsOptions } from '../connection/options.js'

/** The options of `createClient` that have no meaning over NATS: the client of the gateway has them. */
type UpstreamOption =
  | 'priceBaseUrl'
  | 'priceWsUrl'
  | 'baseUrl'
  | 'authKey'
  | 'allowBrowserKey'
  | 'unsigned'
  | 'headers'
  | 'allowInsecure'
  | 'ca'
  | 'authExpiration'
  | 'canonicalHeaders'
  | 'webSocket'
  | 'http'

/**
 * Options of `natsClient`: those of `createClient` that have a meaning over NATS, `servers`, and the options of the NATS
 * connection, such as `user`, `authenticator`, `tls` and `inboxPrefix`. `reconnect`, `pingInterval` and `signal` are those
 * of `createClient`; the upper bound of the waits between reconnects is 1000 ms by default.
 */
export interface NatsClientOptions extends Omit<ClientOptions, UpstreamOption>, NatsOptions {
  /** A price that is further behind ends the epoch, in ms. It includes time in which the gateway was stopped. Default: 1000. */
  readonly maxLag?: number
}

/** Options with which the client has depth methods. */
export interface NatsDepthClientOptions extends NatsClientOptions {
  readonly environment: 'mainnet'
}
