/**
 * A server that serves the prices and the depth of a client, in the service's own protocol.
 *
 * @module
 */

import type { PriceClient } from '../client/client.js'
import type { Gateway, SignedGateway, UnsignedGateway } from './gateway.js'
import type { GatewayOptions, SignedGatewayOptions, UnsignedGatewayOptions } from './options.js'
import { runGateway } from './run-gateway.js'

/**
 * Serves the service's own protocol from a client: prices over WebSocket and HTTP, and depth over HTTP. One connection
 * to the service, and one key, then serve any number of processes and pages. Consumers share subscriptions and
 * requests: the gateway subscribes to a topic once, and sends one depth request for all consumers that wait for it.
 *
 * Rejects with a `ConfigurationError` if the client or an option is invalid. Rejects with a `GatewayError` if the
 * gateway cannot listen, or cannot use the folder of its history. Rejects with the signal's reason if the signal is
 * aborted. Closing the gateway does not close the client.
 *
 * @example
 * const gateway = await startGateway(client, { port: 8080 })
 * const consumer = createClient({ environment: 'mainnet', ...gateway })
 */
export function startGateway(client: PriceClient, options?: UnsignedGatewayOptions): Promise<UnsignedGateway>
export function startGateway(client: PriceClient, options: SignedGatewayOptions): Promise<SignedGateway>
export function startGateway(client: PriceClient, options?: GatewayOptions): Promise<Gateway>
export async function startGateway(client: PriceClient, options: GatewayOptions = {}): Promise<Gateway> {
  return (await runGateway(client, options)).gateway
}

export { GatewayError } from './gateway.js'
export type {
  Gateway,
  GatewayHistoryFailure,
  GatewayHistorySnapshot,
  GatewaySnapshot,
  GatewayTopicSnapshot,
  GatewayTopicState,
  SignedGateway,
  UnsignedGateway,
} from './gateway.js'
export type {
  GatewayAccess,
  GatewayHistoryOptions,
  GatewayKeys,
  GatewayOptions,
  GatewayTls,
  GatewayTokens,
  SignedGatewayOptions,
  UnsignedGatewayOptions,
} from './options.js'
