/**
 * Prices and depth for many machines, over a NATS server or cluster. Needs the package `@nats-io/transport-node`.
 *
 * @module
 */

export { natsClient, type NatsClientOptions, type NatsDepthClientOptions } from './nats-client.js'
export { startNatsGateway } from './publisher/start-nats-gateway.js'
export type { NatsAuthenticator, NatsOptions } from './options.js'
export type {
  NatsGateway,
  NatsGatewayFailure,
  NatsGatewayOptions,
  NatsGatewaySnapshot,
} from './publisher/start-nats-gateway.js'
