/// <reference lib="esnext.disposable" preserve="true" />
import type { GatewaySnapshot } from './gateway-snapshot.js'

/**
 * A running gateway. Its addresses are options of a client: `createClient({ environment: 'mainnet', ...gateway })`. If it
 * has `keys`, the client needs one of them as `authKey`.
 */
export interface Gateway {
  /** Address of depth, such as `http://127.0.0.1:8080`. */
  readonly baseUrl: string
  /** Address of prices over HTTP; equal to `baseUrl`. */
  readonly priceBaseUrl: string
  /** Address of prices over WebSocket, such as `ws://127.0.0.1:8080`. */
  readonly priceWsUrl: string
  /** True if depth requests need no signature. */
  readonly unsigned: boolean
  /** Name of the service: prefix of topics and of signed headers. */
  readonly service: string
  /** State of the connection to the service, of the consumers' connections and of each topic, as plain data for a log. */
  readonly inspect: () => GatewaySnapshot
  /**
   * Ends all connections. Resolves when the port is free. Does not close the client that the gateway was started with.
   * Idempotent.
   */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** A gateway without `keys`. */
export interface UnsignedGateway extends Gateway {
  readonly unsigned: true
}

/** A gateway with `keys`: depth requests must be signed with one of them. */
export interface SignedGateway extends Gateway {
  readonly unsigned: false
}
